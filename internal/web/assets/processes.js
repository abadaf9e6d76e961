// Processes on GPUs: those of a node or a GPU, and the page of all, which can be sorted and searched.

import { h } from './dom.js';
import { choice, choose } from './choices.js';
import { bytes, known, none, plural, span } from './format.js';
import { Problems, fresh, numberOf, worstLetter } from './model.js';
import { gpuLink, nodeLink, row, section, table } from './parts.js';

// columns are the title, the class, and what is sorted by; a number is sorted from the highest at first.
const columns = [
  { title: 'Node', class: 'name', key: 'node', of: (r) => r.node.name },
  { title: 'GPU', class: 'gpu', key: 'gpu', of: (r) => r.place },
  { title: 'PID', class: 'pid', key: 'pid', of: (r) => r.p.pid },
  { title: 'T', class: 'type', key: 'type', of: (r) => r.p.type },
  { title: 'User', class: 'user', key: 'user', of: (r) => r.p.user },
  { title: 'Job', class: 'job', key: 'job', of: (r) => r.p.job_number },
  { title: 'Rank', class: 'rank', key: 'rank', of: (r) => r.p.rank },
  { title: 'GPU memory', class: 'mem', key: 'mem', of: (r) => r.p.gpu_memory_bytes, down: true },
  { title: '%SM', class: 'sm', key: 'sm', of: (r) => r.p.sm_percent, down: true },
  { title: '%MRW', class: 'mrw', key: 'mrw', of: (r) => r.p.mem_util_percent, down: true },
  { title: '%CPU', class: 'cpu', key: 'cpu', of: (r) => r.p.cpu_percent, down: true },
  { title: '%MEM', class: 'host', key: 'host', of: (r) => r.p.host_memory_percent, down: true },
  { title: 'Time', class: 'time', key: 'time', of: (r) => r.p.elapsed_seconds, down: true },
  { title: 'Command', class: 'words', key: 'command', of: (r) => r.p.command || r.p.name },
];
const page = 200; // rows that are shown at first: more are there at a touch

const state = { search: '', shown: page };

export function processesPage(doc, { draw, docs }) {
  const problems = new Problems(docs[1]?.jobs || doc.jobs);
  const rows = rowsOf(doc.nodes || []);
  const found = rows.filter(matches(state.search));
  const key = choice('sort', columns.map((c) => c.key));
  const down = choice('down', [columns.find((c) => c.key === key).down === true, true, false]);
  const sorted = inOrder(found, columns.find((c) => c.key === key), down);
  const by = (chosen) => {
    choose('down', chosen === key ? !down : columns.find((c) => c.key === chosen).down === true);
    choose('sort', chosen);
    draw();
  };
  return [section('Processes', note(rows.length, found.length), searchLine(draw),
    processRows(sorted.slice(0, state.shown), problems, { key, down, by }, true),
    sorted.length > state.shown && h('button', { type: 'button', class: 'more', on: { click: () => showMore(draw) } }, `+${sorted.length - state.shown} more`),
    !rows.length && h('p', { class: 'empty' }, doc.nodes?.some(fresh) ? 'No process is on a GPU.' : 'No node reports.'))];
}

const note = (all, found) => (found < all ? `${found} of ${plural(all, 'process', 'processes')}` : plural(all, 'process', 'processes'));

function showMore(draw) {
  state.shown += page;
  draw();
}

function searchLine(draw) {
  const search = (event) => {
    state.search = event.target.value;
    state.shown = page;
    draw();
  };
  const input = h('input', {
    type: 'search', placeholder: 'user, node, job, PID, command', 'aria-label': 'Show only processes with this in them', value: state.search, on: { input: search },
  });
  return h('div', { class: 'choices' }, input, sortLine(draw));
}

// sortLine chooses the order where the table has no headings: on a narrow screen.
function sortLine(draw) {
  const change = (event) => {
    choose('sort', event.target.value);
    choose('down', columns.find((c) => c.key === event.target.value).down === true);
    draw();
  };
  const key = choice('sort', columns.map((c) => c.key));
  const options = columns.map((c) => h('option', { key: c.key, value: c.key, selected: c.key === key }, c.title));
  return h('label', { class: 'sortline' }, 'sort by ', h('select', { on: { change } }, options));
}

// processTable are the processes of some nodes, by GPU.
export function processTable(nodes, problems) {
  const rows = rowsOf(nodes);
  return rows.length ? processRows(rows, problems, null, false) : h('p', { class: 'empty' }, 'None.');
}

function rowsOf(nodes) {
  return nodes.flatMap((node) => {
    const gpus = new Map((node.gpus || []).map((g) => [g.mig_instance ? g.key : g.index ?? g.key, g]));
    return (node.processes || []).map((p) => {
      const g = gpus.get(p.gpu_key ?? p.gpu) || { index: p.gpu, key: p.gpu_key };
      return { node, p, g, place: `${node.name} ${String(p.gpu ?? '').padStart(3, '0')} ${p.gpu_key ?? ''}` };
    });
  });
}

// matches finds a row by all words of a search.
function matches(search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ node, p }) => {
    const text = [node.name, p.user, p.job_number, p.pid, p.command || p.name].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

// inOrder sorts rows. What is not known comes last, whichever way.
function inOrder(rows, column, down) {
  const way = down ? -1 : 1;
  return rows.map((r) => [r, column.of(r)]).sort(([, a], [, b]) => {
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    return way * (typeof a === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true }));
  }).map(([r]) => r);
}

function processRows(rows, problems, sort, everywhere) {
  const shown = everywhere ? columns : columns.filter((c) => c.key !== 'node');
  return table(`processes ${everywhere ? 'everywhere' : ''}`, shown, rows.map((r) => processRow(r, problems, everywhere)), sort);
}

function processRow({ node, p, g }, problems, everywhere) {
  const slow = ['L', 'I'].includes(worstLetter(problems.ofGPU(node.name, g)).letter) ? ' warning' : '';
  const cells = [
    ['gpu', h('a', { href: gpuLink(node.name, g) }, numberOf(node, g))], ['pid', String(p.pid)], ['type', p.type || none], ['user', p.foreign ? 'in a container' : p.user || none],
    ['job', p.job_number || none], ['rank', number(p.rank)], ['mem', bytes(p.gpu_memory_bytes)], [`sm${slow}`, number(p.sm_percent)], ['mrw', number(p.mem_util_percent)],
    [`cpu${slow}`, number(p.cpu_percent, 1)], ['host', number(p.host_memory_percent, 1)], ['time', span(p.elapsed_seconds)],
    ['words', h('code', { title: p.command }, p.command || p.name || none)],
  ];
  const name = ['name', h('a', { href: nodeLink(node.name) }, node.name)];
  return row(`${node.name} ${p.pid} ${p.start_ticks} ${p.gpu ?? p.gpu_key}`, node.state === 'stale' ? 'old' : '', everywhere ? [name, ...cells] : cells);
}

const number = (v, decimals = 0) => (known(v) ? v.toFixed(decimals) : none);
