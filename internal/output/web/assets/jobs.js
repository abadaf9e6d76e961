// The pages of all jobs, and of one.

import { h } from './dom.js';
import { age, between, celsius, known, memory, none, percent, plural, power, span } from './format.js';
import { clearedOf, fresh, gpusOf, problemsOf, share, slowsAt, total } from './model.js';
import { nodeGrid } from './nodes.js';
import { brief, clearedList, fact, facts, jobLink, mark, meter, problemList, row, section, table } from './parts.js';

const running = [
  { title: '', class: 'mark' }, { title: 'Job', class: 'name' }, { title: 'State', class: 'state' }, { title: 'Nodes', class: 'count' }, { title: 'GPUs', class: 'gpus' },
  { title: 'Utilization', class: 'util' }, { title: 'Memory', class: 'mem' }, { title: 'Power', class: 'power' }, { title: 'Max °C', class: 'temp' },
  { title: 'Elapsed', class: 'time' }, { title: 'Left', class: 'left' }, { title: 'Health', class: 'words' },
];

export function jobsPage(doc) {
  const { jobs, pending = [], ended_jobs: ended = [] } = doc;
  const many = jobs.length + pending.length + ended.length;
  const failure = doc.discovery?.failure;
  return [
    failure && h('p', { class: 'banner', key: 'slurm' }, `SLURM: ${failure.summary}. ${failure.meaning || ''}`),
    jobs.length > 0 && section('Running', plural(jobs.length, 'job', 'jobs'), table('jobs', running, jobs.map((job) => jobRow(job, doc.time)))),
    pending.length > 0 && section('Pending', plural(pending.length, 'job', 'jobs'), pendingTable(pending, doc.time), h('p', { key: 'cluster' }, h('a', { class: 'link', href: '#/cluster' }, 'GPUs that a job can get now'))),
    ended.length > 0 && section('Ended', 'in the last hour', endedTable(ended, doc.time)),
    many === 0 && h('p', { class: 'empty', key: 'none' }, doc.discovery?.user ? `${doc.discovery.user} has no jobs.` : 'There are no jobs.'),
  ].filter(Boolean);
}

const left = (job, time) => (job.end ? Math.max(0, between(time, job.end) || 0) : undefined);
const stateOf = (job) => (job.suspended ? 'suspended' : 'running');

function jobRow(job, time) {
  const t = totalsOf(job);
  const problems = problemsOf([job]);
  return row(job.id || job.name, job.suspended ? 'suspended' : '', [
    ['mark', mark(problems)],
    ['name', h('a', { href: jobLink(job.id) }, job.id && h('b', {}, job.id), h('span', { class: 'text' }, job.name))],
    ['state', stateOf(job)], ['count', String(job.nodes.length)], ['gpus', gpusSeen(job, '/')],
    ['util', meter(t.util, 'data')], ['mem', meter(share(t.used, t.memory), 'mem', memory(t.used, t.memory, t.procs))], ['power', power(t.power, t.limit, true)],
    [problems.some((f) => f.kind === 'thermal') ? 'temp warning' : 'temp', celsius(t.temp)], ['time', job.start ? span(between(job.start, time)) : none],
    [job.end ? 'left' : 'left unknown', span(left(job, time))],
    ['words', brief(problems, undefined, job.nodes.length > 1 ? whereOf : undefined) || h('span', { class: 'dim' }, job.suspended ? 'suspended' : 'all well')],
  ]);
}

const whereOf = (f) => `${f.node}${f.gpu !== undefined ? ` GPU${f.gpu}` : ''}`;

// gpusSeen are the GPUs of a job that give numbers, of all of which is known.
function gpusSeen(job, of) {
  const all = Math.max(job.gpus, job.gpus_seen);
  if (!all) return none;
  return job.gpus_seen === all ? String(all) : `${job.gpus_seen}${of}${all}`;
}

// totalsOf are the totals that the server gives of a job.
function totalsOf(job) {
  const t = job.totals || {};
  return {
    util: t.util_percent, median: t.util_median_percent, low: t.util_lowest_percent, lowNode: t.util_lowest_node, lowGPU: t.util_lowest_gpu ?? t.util_lowest_gpu_key,
    used: t.memory_used_bytes, memory: t.memory_total_bytes, procs: t.memory_of_processes_bytes, power: t.power_watts, limit: t.power_limit_watts, temp: t.temperature_celsius,
  };
}

// queue are the columns of jobs that have no nodes: why and when are in the place of numbers.
const queue = (why, when) => [
  { title: 'Job', class: 'name' }, { title: 'Partition', class: 'partition' }, { title: 'Nodes', class: 'count' }, { title: 'GPUs', class: 'gpus' },
  { title: why, class: 'words' }, { title: when, class: 'time' },
];

const queueCells = (job) => [
  ['name', [h('b', { key: 'id' }, job.id), h('span', { key: 'name', class: 'text' }, job.name)]], ['partition', job.partition || none], ['count', String(job.nodes)],
  ['gpus', known(job.gpus) ? String(job.gpus) : none],
];

function pendingTable(pending, time) {
  return table('queue', queue('Reason', 'Starts'), pending.map((job) => row(job.id, '', [
    ...queueCells(job), ['words', job.nodes_booting ? 'its nodes are booting' : job.reason || none], ['time', job.start_estimate ? `in ${age(between(time, job.start_estimate))}` : none],
  ])));
}

const endWords = {
  COMPLETING: 'ending', COMPLETED: 'completed', CANCELLED: 'canceled', FAILED: 'failed', TIMEOUT: 'time limit', OUT_OF_MEMORY: 'out of memory', NODE_FAIL: 'node failed',
  BOOT_FAIL: 'boot failed', DEADLINE: 'deadline', PREEMPTED: 'preempted',
};
const wellEnded = ['COMPLETING', 'COMPLETED', 'CANCELLED', undefined];

function endedTable(ended, time) {
  return table('queue', queue('How', 'Ended'), ended.map((job) => row(job.id, '', [
    ...queueCells(job), [wellEnded.includes(job.state) ? 'words' : 'words warning', how(job)], ['time', job.end ? `${age(between(job.end, time))} ago` : none],
  ])));
}

function how(job) {
  const state = job.state === 'FAILED' && job.out_of_memory_step ? 'OUT_OF_MEMORY' : job.state;
  const words = [endWords[state] || 'ended'];
  const why = job.cause || (job.out_of_memory_step && `step ${job.out_of_memory_step}`);
  if (why) {
    if (job.start && job.end) words.push(`after ${span(between(job.start, job.end))}`);
    return `${words.join(' ')}: ${why}`;
  }
  if (job.exit_code > 0) words.push(`exit code ${job.exit_code}`);
  if (job.signal > 0) words.push(`signal ${job.signal}`);
  if (job.start && job.end) words.push(`after ${span(between(job.start, job.end))}`);
  return words.join(', ');
}

// jobPage is one job: its totals, its problems, its nodes.
export function jobPage(doc, { draw }) {
  const job = doc.jobs[0];
  const problems = problemsOf([job]);
  const cleared = clearedOf([job]);
  const nodes = doc.nodes || [];
  return [
    jobTitle(job, doc.time), progressLine(job), jobFacts(job, nodes),
    section('Problems', problems.length ? 'worst first' : '', problemList(problems, doc.time)),
    cleared.length > 0 && section('Cleared', 'in the last hour', clearedList(cleared)),
    section('Nodes', `${job.nodes_reporting} of ${plural(job.nodes.length, 'node', 'nodes')} reporting`, nodeGrid(doc, nodes, job, draw)),
  ].filter(Boolean);
}

function jobTitle(job, time) {
  const words = [
    job.user, job.partition, stateOf(job), job.start && `for ${span(between(job.start, time))}`, job.end && `${span(left(job, time))} left`,
  ];
  for (const page of ['log', 'stacks']) words.push(job.id && h('a', { class: 'link', href: `#/${page}/${encodeURIComponent(job.id)}` }, page));
  return h('h1', { key: 'title' }, job.id && h('span', { class: 'dim' }, 'Job '), job.id && h('b', {}, job.id), h('b', { class: 'text' }, job.name),
    words.filter(Boolean).map((word, i) => h('span', { key: i, class: 'dim' }, word)));
}

// progressLine says how far the program of a job is, by its log.
function progressLine(job) {
  return job.progress?.text && h('p', { key: 'progress', class: 'progress' }, job.progress.text.map((part, i) => h('span', { key: i }, part)));
}

function jobFacts(job, nodes) {
  const t = totalsOf(job);
  const gpus = nodes.filter(fresh).flatMap((node) => gpusOf(node, job));
  const seen = total(gpus);
  const where = t.lowNode ? `${t.lowNode}${t.lowGPU !== undefined ? ` GPU${t.lowGPU}` : ''}` : '';
  return h('div', { key: 'facts', class: 'big' }, facts(
    fact('GPUs', gpusSeen(job, ' of '), job.gpus_seen < job.gpus && 'warning'),
    fact('Utilization', [meter(t.util, 'data'), h('span', { class: 'sub' }, groupsOf(job) || `median ${percent(t.median)}`)]),
    fact('Slowest GPU', [percent(t.low ?? seen.low), h('span', { class: 'sub' }, where || 'none stands out')], where && 'warning'),
    fact('Memory', [meter(share(t.used, t.memory), 'mem'), h('span', { class: 'sub' }, memory(t.used, t.memory, t.procs))]),
    fact('Power', [power(t.power, t.limit, true), h('span', { class: 'sub' }, t.limit ? `${percent(share(t.power, t.limit))} of the limit` : '')]),
    fact('Hottest GPU', [celsius(t.temp), h('span', { class: 'sub' }, slowsAt(gpus))], seen.hot && 'warning'),
    ranksFact(job)));
}

// groupsOf says what the GPUs of a job do if they do two things.
function groupsOf(job) {
  return job.groups?.map((g) => `${g.gpus} GPUs at ${percent(g.util_percent)}`).join(', ');
}

// ranksFact counts the ranks of a job, and says how many of them have gone.
function ranksFact(job) {
  if (!job.ranks?.length) return null;
  const count = (state) => job.ranks.filter((r) => r.state === state).length;
  const bad = count('gone') + count('never_seen');
  const states = [['gone', 'gone'], ['never_seen', 'never seen'], ['unknown', 'not known']];
  const words = states.filter(([state]) => count(state)).map(([state, word]) => `${count(state)} ${word}`);
  return fact('Ranks', [`${count('runs')} of ${job.ranks.length}`, h('span', { class: 'sub' }, words.join(', ') || 'all run')], bad > 0 && 'warning');
}
