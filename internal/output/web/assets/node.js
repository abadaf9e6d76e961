// The page of a node: its state, its GPUs, what runs on them, its problems.

import { h } from './dom.js';
import { age, between, celsius, clock, known, memory, model, none, percent, plural, power } from './format.js';
import { Problems, asSeen, hot, isInstance, slowsAt, numberOf, owns, share, total, memoryFull, old, worstLetter, gpusOf } from './model.js';
import { letters } from './kinds.js';
import { brief, fact, facts, gpuLink, mark, meter, nodeLink, problemList, row, section, table } from './parts.js';
import { processTable } from './processes.js';

export function nodePage(doc) {
  const node = asSeen(doc.nodes[0]);
  if (!node) return h('p', { class: 'empty' }, 'This node is no longer among those of your jobs.');
  const problems = new Problems(doc.jobs);
  const mine = problems.ofNode(node.name);
  const has = node.gpus !== undefined;
  return [
    nodeTitle(node, mine), staleText(node, doc.time),
    (!has || node.past) && failureText(node, doc.time), has && hostFacts(node),
    has && section('GPUs', gpuNote(node), h('div', { class: old(node) ? 'old' : '' }, gpuTable(node, problems, doc.time))),
    has && section('Processes', plural((node.processes || []).length, 'process', 'processes'), processTable([node], problems)),
    section('Problems', mine.length ? 'worst first' : '', problemList(mine, doc.time, doc.jobs.length > 1)),
    driverText(node),
  ].filter(Boolean);
}

export function nodeTitle(node, problems) {
  const up = node.host?.uptime_seconds;
  const words = [
    node.state, node.transport && `over ${node.transport}`, node.driver_version && `driver ${node.driver_version}`, node.cuda_version && `CUDA ${node.cuda_version}`,
    known(up) && `up ${age(up)}`,
  ];
  return h('h1', { key: 'title' }, h('b', {}, node.name), mark(problems), words.filter(Boolean).map((word, i) => h('span', { key: i, class: 'dim' }, word)));
}

// staleText says why the numbers of a node are old.
export function staleText(node, time) {
  if (!old(node)) return null;
  const at = clock(Date.parse(time) - 1000 * (node.age_seconds || 0));
  if (node.past) {
    return h('p', { key: 'stale', class: 'banner' }, h('b', {}, `Last seen ${at}, ${age(node.age_seconds)} ago. `), 'All numbers are of then.');
  }
  const why = node.failure?.meaning ? `${node.failure.meaning} ` : '';
  return h('p', { key: 'stale', class: 'banner' }, h('b', {}, `Not responding for ${age(node.age_seconds)}. `), `${why}These numbers are of ${at}.`);
}

// failureText is in place of the numbers of a node that has none: the cause, what it means, what to do.
function failureText(node, time) {
  const f = node.failure;
  const since = node.since ? ` for ${age(between(node.since, time))}` : '';
  if (!f) return h('p', { key: 'failure', class: 'empty' }, node.state === 'connecting' ? `Connecting${since}.` : node.state);
  return h('div', { key: 'failure', class: 'failure' },
    h('p', { class: 'critical' }, h('b', {}, `✗ ${f.summary}`), h('span', { class: 'dim' }, `${since}${f.stage ? `, at the stage ${f.stage}` : ''}`)),
    f.words && h('pre', {}, f.words), f.meaning && h('p', {}, f.meaning),
    (f.hints || []).map((hint, i) => h('p', { key: `hint ${i}`, class: 'hint' }, `→ ${hint}`)),
    (f.transports || []).map((t) => h('p', { key: t.transport, class: 'dim' }, h('b', {}, t.transport), ` ${t.summary}`, t.hint && ` → ${t.hint}`)));
}

// amount is a fact about how much of something is in use.
const amount = (name, used, all, procs) => fact(name, [meter(share(used, all), 'mem'), h('span', { class: 'sub' }, memory(used, all, procs))]);

function hostFacts(node) {
  const host = node.host || {};
  const t = total(gpusOf(node));
  const limited = (node.jobs || []).filter((job) => job.memory_limit_bytes);
  return h('div', { key: 'host', class: old(node) ? 'big old' : 'big' }, facts(
    fact('CPU', [meter(host.cpu_percent, 'mem'), h('span', { class: 'sub' }, `load ${known(host.load1) ? host.load1.toFixed(1) : none} of ${node.cpus || none}`)]),
    amount('Host memory', host.memory_used_bytes, host.memory_total_bytes),
    limited.map((job) => amount(`Job ${job.job_number} memory`, job.memory_used_bytes, job.memory_limit_bytes)),
    fact('Utilization', [meter(t.util, 'data'), h('span', { class: 'sub' }, known(t.low) ? `lowest ${percent(t.low)}` : '')]),
    amount('GPU memory', t.used, t.memory, t.procs),
    fact('Power', [power(t.power, t.limit, true), h('span', { class: 'sub' }, t.limit ? `${percent(share(t.power, t.limit))} of the limit` : '')]),
    fact('Hottest GPU', [celsius(t.temp), h('span', { class: 'sub' }, slowsAt(gpusOf(node)))], t.hot && 'warning')));
}

function gpuNote(node) {
  const models = [...new Set(node.gpus.filter((g) => !isInstance(g)).map((g) => model(g.name)))];
  return `${node.gpus.filter((g) => !isInstance(g)).length} × ${models.join(', ')}`;
}

const columns = [
  { title: '', class: 'mark' }, { title: 'GPU', class: 'gpu' }, { title: 'Rank', class: 'rank' }, { title: 'Temp', class: 'temp' }, { title: 'Util', class: 'util' },
  { title: 'Memory', class: 'mem' }, { title: 'Used/total', class: 'pair' }, { title: 'Power', class: 'power' }, { title: 'SM MHz', class: 'clock' },
  { title: '%MRW', class: 'mrw' }, { title: 'Flags', class: 'words' },
];

function gpuTable(node, problems, time) {
  const ranks = ranksOf(node);
  return table('gpus', columns, node.gpus.map((g) => gpuRow(node, g, problems.ofGPU(node.name, g), ranks, time)));
}

const nameOf = (g) => (g.index !== undefined ? g.index : g.key);

// ranksOf are the ranks of the processes by the GPU.
function ranksOf(node) {
  const ranks = new Map();
  for (const p of node.processes || []) if (known(p.rank)) ranks.set(p.gpu ?? p.gpu_key, p.rank);
  return ranks;
}

function gpuRow(node, g, problems, ranks, time) {
  const mine = owns(node, g);
  const key = g.uuid || g.key || g.index;
  const kind = `${mine ? '' : 'ghost'} ${isInstance(g) ? 'instance' : ''}`;
  const name = [['mark', mark(problems)], ['gpu', h('a', { href: gpuLink(node.name, g) }, numberOf(node, g))]];
  if (g.lost) return row(key, kind, [...name, ['lost', h('span', {}, `GPU lost: ${g.lost}`)]]);
  const { letter, severity } = worstLetter(problems);
  const slow = ['L', 'I'].includes(letter) ? severity : '';
  const full = share(g.memory_used_bytes, g.memory_total_bytes);
  const rank = ranks.get(nameOf(g));
  return row(key, kind, [
    ...name, ['rank', known(rank) ? String(rank) : none], [hot(g) ? 'temp warning' : 'temp', given(celsius(g.temperature_celsius))],
    ['util', meter(g.util_percent, `data ${slow}`, given(percent(g.util_percent)))], ['mem', meter(full, full >= memoryFull ? 'mem warning' : 'mem')],
    ['pair', given(memory(g.memory_used_bytes, g.memory_total_bytes, g.memory_of_processes_bytes))], ['power', given(powerOf(g))], ['clock', given(known(g.sm_mhz) ? String(g.sm_mhz) : none)],
    ['mrw', given(percent(g.mem_util_percent))], ['words', mine ? flags(letter, severity, problems, time) : owner(node, g)],
  ]);
}

// given is a number as text, or that the driver gives none.
const given = (text) => (text === none ? h('span', { class: 'dim' }, 'n/a') : text);

// powerOf is the power of a GPU, with its limit where there is room.
function powerOf(g) {
  if (!known(g.power_watts)) return none;
  return [Math.round(g.power_watts), known(g.power_limit_watts) && h('span', { key: 'limit', class: 'limit' }, `/${Math.round(g.power_limit_watts)}`), ' W'];
}

// flags name what is wrong with a GPU: the letter, and where there is room the worst in words.
function flags(letter, severity, problems, time) {
  return [letter && h('b', { key: 'letter', class: `letter ${severity}`, title: letters[letter] }, letter), brief(problems, time, () => '')];
}

// owner says whose a GPU of others is, as far as its processes tell.
function owner(node, g) {
  const p = (node.processes || []).find((q) => (q.gpu ?? q.gpu_key) === nameOf(g));
  return h('span', { class: 'dim' }, p ? [p.user, p.job_number].filter(Boolean).join(' ') : 'not yours');
}

// driverText is what the driver and the collectors had to say.
function driverText(node) {
  const xids = (node.xids || []).map((x) => `${clock(x.time)}  Xid ${x.code} on GPU ${x.gpu ?? x.gpu_key ?? '?'}`);
  const faults = (node.faults || []).map((f) => `${f.collector}: ${f.error}${f.gpus?.length ? ` (GPU ${f.gpus.join(', ')})` : ''}`);
  const lines = [...xids, ...faults, node.nvml_fault && `NVML: ${node.nvml_fault}`, node.stand_in && `nvidia-smi stands in for a probe: ${node.stand_in}`].filter(Boolean);
  return lines.length > 0 && section('Driver', '', lines.map((line, i) => h('p', { key: i, class: 'line' }, line)));
}

// gpuTabs leads from a GPU to the others of its node.
export function gpuTabs(node, g, problems) {
  const tab = (other) => h('a', {
    key: other.uuid || other.key || other.index, class: 'tab', href: gpuLink(node.name, other), 'aria-current': other === g && 'page', 'aria-label': `GPU ${numberOf(node, other)}`,
  }, numberOf(node, other), mark(problems.ofGPU(node.name, other).filter((f) => f.severity !== 'note')));
  return h('nav', { key: 'gpus', class: 'subtabs', 'aria-label': 'GPUs of the node' },
    h('a', { key: 'up', class: 'up', href: nodeLink(node.name) }, `‹ ${node.name}`), node.gpus.map(tab));
}
