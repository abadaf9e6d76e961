// The page of a node: its state, its GPUs, what runs on them, its problems.

import { h } from './dom.js';
import { age, between, celsius, clock, known, model, none, pair, percent, plural, power } from './format.js';
import { Problems, hot, isInstance, slowsAt, numberOf, owns, share, total, memoryFull, worstLetter, gpusOf } from './model.js';
import { letters } from './kinds.js';
import { brief, fact, facts, gpuLink, mark, meter, nodeLink, problemList, row, section, table } from './parts.js';
import { processTable } from './processes.js';

export function nodePage(doc) {
  const node = doc.nodes[0];
  if (!node) return h('p', { class: 'empty' }, 'This node is no longer among those of your jobs.');
  const problems = new Problems(doc.jobs);
  const mine = problems.ofNode(node.name);
  const has = node.gpus !== undefined;
  return [
    nodeTitle(node, mine), staleText(node, doc.time),
    has ? hostFacts(node) : failureText(node, doc.time),
    has && section('GPUs', gpuNote(node), h('div', { class: node.state === 'stale' ? 'old' : '' }, gpuTable(node, problems, doc.time))),
    has && section('Processes', plural((node.processes || []).length, 'process', 'processes'), processTable(doc, [node], problems)),
    section('Problems', mine.length ? 'worst first' : '', mine.length ? problemList(mine, doc.time, doc.jobs.length > 1) : h('p', { class: 'empty' }, 'None.')),
    driverText(node),
  ].filter(Boolean);
}

export function nodeTitle(node, problems) {
  return h('h1', { key: 'title' }, h('b', {}, node.name), mark(problems), h('span', { class: 'dim' }, node.state),
    node.transport && h('span', { class: 'dim' }, `over ${node.transport}`), node.driver_version && h('span', { class: 'dim' }, `driver ${node.driver_version}`),
    node.cuda_version && h('span', { class: 'dim' }, `CUDA ${node.cuda_version}`), known(node.host?.uptime_seconds) && h('span', { class: 'dim' }, `up ${age(node.host.uptime_seconds)}`));
}

// staleText says why the numbers of a node are old.
export function staleText(node, time) {
  if (node.state !== 'stale') return null;
  const at = clock(Date.parse(time) - 1000 * (node.age_seconds || 0));
  return h('p', { key: 'stale', class: 'banner' }, h('b', {}, `Not responding for ${age(node.age_seconds)}. `), node.failure?.meaning && `${node.failure.meaning} `, `These numbers are of ${at}.`);
}

// failureText is in place of the numbers of a node that has none: the cause, what it means, what to do.
function failureText(node, time) {
  const f = node.failure;
  if (!f) return h('p', { key: 'failure', class: 'empty' }, node.state === 'connecting' ? `Connecting${node.since ? ` for ${age(between(node.since, time))}` : ''}.` : node.state);
  return h('div', { key: 'failure', class: 'failure' },
    h('p', { class: 'critical' }, h('b', {}, `✗ ${f.summary}`), node.since && h('span', { class: 'dim' }, ` for ${age(between(node.since, time))}${f.stage ? `, at the stage ${f.stage}` : ''}`)),
    f.words && h('pre', {}, f.words), f.meaning && h('p', {}, f.meaning), (f.hints || []).map((hint, i) => h('p', { key: `hint ${i}`, class: 'hint' }, `→ ${hint}`)),
    (f.transports || []).map((t) => h('p', { key: t.transport, class: 'dim' }, h('b', {}, t.transport), ` ${t.summary}`, t.hint && ` → ${t.hint}`)));
}

function hostFacts(node) {
  const host = node.host || {};
  const t = total(gpusOf(node));
  const limited = (node.jobs || []).filter((job) => job.memory_limit_bytes);
  return h('div', { key: 'host', class: node.state === 'stale' ? 'big old' : 'big' }, facts(
    fact('CPU', [meter(host.cpu_percent, 'mem'), h('span', { class: 'sub' }, `load ${known(host.load1) ? host.load1.toFixed(1) : none} of ${node.cpus || none}`)]),
    fact('Host memory', [meter(share(host.memory_used_bytes, host.memory_total_bytes), 'mem'), h('span', { class: 'sub' }, pair(host.memory_used_bytes, host.memory_total_bytes))]),
    limited.map((job) => fact(`Job ${job.job_number} memory`, [meter(share(job.memory_used_bytes, job.memory_limit_bytes), 'mem'), h('span', { class: 'sub' }, pair(job.memory_used_bytes, job.memory_limit_bytes))])),
    fact('Utilization', [meter(t.util, 'data'), h('span', { class: 'sub' }, known(t.low) ? `lowest ${percent(t.low)}` : '')]),
    fact('GPU memory', [meter(share(t.used, t.memory), 'mem'), h('span', { class: 'sub' }, pair(t.used, t.memory))]),
    fact('Power', [power(t.power, t.limit, true), h('span', { class: 'sub' }, t.limit ? `${percent(share(t.power, t.limit))} of the limit` : '')]),
    fact('Hottest GPU', [celsius(t.temp), h('span', { class: 'sub' }, slowsAt(gpusOf(node)))], t.hot && 'warning')));
}

function gpuNote(node) {
  const models = [...new Set(node.gpus.filter((g) => !isInstance(g)).map((g) => model(g.name)))];
  return `${node.gpus.filter((g) => !isInstance(g)).length} × ${models.join(', ')}`;
}

const columns = [
  { title: '', class: 'mark' }, { title: 'GPU', class: 'gpu' }, { title: 'Rank', class: 'rank' }, { title: 'Temp', class: 'temp' }, { title: 'Util', class: 'util' },
  { title: 'Memory', class: 'mem' }, { title: 'Used/total', class: 'pair' }, { title: 'Power', class: 'power' }, { title: 'SM MHz', class: 'clock' }, { title: '%MBW', class: 'bandwidth' }, { title: 'Flags', class: 'words' },
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
  const number = h('a', { href: gpuLink(node.name, g) }, numberOf(node, g));
  const kind = `${mine ? '' : 'ghost'} ${isInstance(g) ? 'instance' : ''}`;
  const key = g.uuid || g.key || g.index;
  if (g.lost) return row(key, kind, [['mark', mark(problems)], ['gpu', number], ['lost', h('span', {}, `GPU lost: ${g.lost}`)]]);
  const { letter, severity } = worstLetter(problems);
  const lags = ['L', 'I'].includes(letter) ? severity : '';
  const n = (text, reason) => (text === none ? h('span', { class: 'dim', title: reason }, 'n/a') : text);
  const full = share(g.memory_used_bytes, g.memory_total_bytes);
  return row(key, kind, [
    ['mark', mark(problems)], ['gpu', number], ['rank', known(ranks.get(nameOf(g))) ? String(ranks.get(nameOf(g))) : none], [hot(g) ? 'temp warning' : 'temp', n(celsius(g.temperature_celsius))],
    ['util', meter(g.util_percent, `data ${lags}`, n(percent(g.util_percent)))], ['mem', meter(full, full >= memoryFull ? 'mem warning' : 'mem')], ['pair', n(pair(g.memory_used_bytes, g.memory_total_bytes))],
    ['power', n(powerOf(g))], ['clock', n(known(g.sm_mhz) ? `${g.sm_mhz}` : none)], ['bandwidth', n(percent(g.mem_util_percent))],
    ['words', mine ? [letter && h('b', { key: 'letter', class: `letter ${severity}`, title: letters[letter] }, letter), flags(problems, time)] : owner(node, g)],
  ]);
}

// powerOf is the power of a GPU, with its limit where there is room.
function powerOf(g) {
  if (!known(g.power_watts)) return none;
  return [Math.round(g.power_watts), known(g.power_limit_watts) && h('span', { key: 'limit', class: 'limit' }, `/${Math.round(g.power_limit_watts)}`), ' W'];
}

// flags names all that is wrong with a GPU, without its number: that is in the row.
function flags(problems, time) {
  return problems.length > 0 && h('span', { key: 'flags' }, brief(problems, time, () => ''));
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
  return h('nav', { key: 'gpus', class: 'subtabs', 'aria-label': 'GPUs of the node' }, h('a', { class: 'up', href: nodeLink(node.name) }, `‹ ${node.name}`), node.gpus.map((other) => h(
    'a', { key: other.uuid || other.key || other.index, class: 'tab', href: gpuLink(node.name, other), 'aria-current': other === g && 'page', 'aria-label': `GPU ${numberOf(node, other)}` }, numberOf(node, other), mark(problems.ofGPU(node.name, other).filter((f) => f.severity !== 'note')))));
}
