// GPUs as cells: a number and a color for how much, a letter on amber or red for what is wrong. Also nodes as rows or tiles of cells.

import { h } from './dom.js';
import { age, celsius, clock, known, memory, none, power, whole } from './format.js';
import { letters } from './kinds.js';
import { asSeen, badness, fresh, gauges, gpusOf, isInstance, markOf, old, owns, shortNames, total, worstLetter } from './model.js';
import { brief, gpuLink, mark, nodeLink, row, table } from './parts.js';

const across = 8; // cells that a node has at least
const tileWidth = 440; // pixels of the window for a column of tiles
const most = 64; // and at most: a number from a node must not fill the page

// cellOf is a GPU as a cell.
function cellOf(node, g, at) {
  const gauge = gauges[at.metric];
  const value = valueOf(gauge)(g);
  const mine = owns(node, g, at.job);
  const worst = mine ? worstLetter(at.problems.ofGPU(node.name, g)) : { letter: '' };
  const said = known(value) ? whole(value) + gauge.unit : 'n/a';
  const number = g.lost ? '' : known(value) ? whole(value) : 'n/a';
  const words = [`${node.name} GPU${g.index}`, worst.letter && number + worst.letter, g.lost ? 'lost' : `${gauge.title} ${said}`, letters[worst.letter], !mine && 'not yours'].filter(Boolean).join(', ');
  return h('a', {
    key: g.index, class: `cell ${worst.letter ? worst.severity : shadeOf(node, g, gauge, mine)}`, href: gpuLink(node.name, g), title: words, 'aria-label': words,
    tabindex: g.index > 0 && -1,
  }, h('span', {}, number), worst.letter && h('b', {}, worst.letter));
}

// shadeOf is the class of a cell that is well: its level in eighths.
function shadeOf(node, g, gauge, mine) {
  const level = gauge.level(g);
  if (!mine) return 'ghost';
  if (old(node)) return 'stale';
  return known(level) ? `l${Math.round(level / 12.5)}${gauge.high(g) ? ' high' : ''}` : 'none';
}

// cellsOf are the GPUs of a node, each at the place of its number.
function cellsOf(node, at) {
  const gpus = (node.gpus || []).filter((g) => !isInstance(g));
  const places = Math.max(across, ...gpus.map((g) => (g.index ?? 0) + 1));
  const cells = Array.from({ length: Math.min(places, most) }, (_, i) => h('span', { key: i, class: gpus.length ? 'cell gap' : 'cell none' }, gpus.length ? '' : '·'));
  for (const g of gpus) if (g.index < cells.length) cells[g.index] = cellOf(node, g, at);
  return h('span', { class: 'cells', vars: { '--across': String(Math.min(places, 16)) } }, cells);
}

// stateOf says in place of numbers why a node has none.
export function stateOf(node, problems, time) {
  const words = brief(problems, time, () => '');
  return words || h('span', { class: 'brief waiting' }, node.state);
}

// lastSeen says of when the numbers of a node that has failed are.
const lastSeen = (node) => node.past && h('span', { key: 'seen', class: 'dim' }, ` last seen ${clock(node.past.time)}`);

const columns = [
  { title: '', class: 'mark' }, { title: 'Node', class: 'name' }, { title: 'GPUs', class: 'gpus' }, { title: 'Avg', class: 'avg' }, { title: 'Memory', class: 'memory' },
  { title: 'Power', class: 'power' }, { title: 'Max °C', class: 'temp' }, { title: 'Health', class: 'words' },
];

// nodeRows are nodes as rows of a table.
export function nodeRows(nodes, at) {
  return table('nodes', columns, nodes.map(asSeen).map((node) => {
    const problems = at.problems.ofNode(node.name);
    const t = total(gpusOf(node, at.job));
    const has = node.gpus !== undefined;
    return row(node.name, fresh(node) ? '' : 'old', [
      ['mark', mark(problems)], ['name', h('a', { href: nodeLink(node.name) }, node.name)], ['gpus', cellsOf(node, at)],
      ['avg', has ? average(node, at) : ''], ['memory', has ? memory(t.used, t.memory, t.procs) : ''], ['power', has ? power(t.power, t.limit, true) : ''],
      [t.hot ? 'temp warning' : 'temp', has ? celsius(t.temp) : ''], ['words', has && !node.past ? brief(problems, at.time) : [stateOf(node, problems, at.time), lastSeen(node)]],
    ]);
  }));
}

// average is the mean of what the cells of a node show.
function average(node, at) {
  const gauge = gauges[at.metric];
  const values = gpusOf(node, at.job).map(valueOf(gauge)).filter(known);
  return values.length ? whole(values.reduce((a, b) => a + b, 0) / values.length) + gauge.unit : none;
}

const valueOf = (gauge) => gauge.number || gauge.level;

// heatMap is nodes as tiles, in columns that are read downwards, as on the screen.
export function heatMap(nodes, at) {
  const { prefix, short } = shortNames(nodes.map((n) => n.name));
  const columns = Math.min(4, Math.max(1, Math.floor(document.documentElement.clientWidth / tileWidth)));
  return h('div', { class: 'tiles', vars: { '--rows': String(Math.ceil(nodes.length / columns)) } }, nodes.map(asSeen).map((node) => tile(node, at, prefix ? short(node.name) : node.name)));
}

function tile(node, at, name) {
  const problems = at.problems.ofNode(node.name);
  return h('div', { key: node.name, class: 'tile' },
    mark(problems), h('a', { class: `name ${markOf(problems)}`, href: nodeLink(node.name), title: node.name }, name),
    node.gpus === undefined ? h('span', { class: 'reason' }, stateOf(node, problems, at.time)) : [cellsOf(node, at), tileNumbers(node, at, problems)]);
}

// tileNumbers are the numbers of a tile, or why those in its cells are old.
function tileNumbers(node, at, problems) {
  if (node.past) return h('span', { class: 'numbers words' }, stateOf(node, problems, at.time), lastSeen(node));
  if (!fresh(node)) return h('span', { class: 'numbers words' }, h('span', { class: 'brief warning' }, `silent ${age(node.age_seconds)}`));
  const t = total(gpusOf(node, at.job));
  return h('span', { class: 'numbers' }, h('span', {}, average(node, at)), h('span', { class: t.hot ? 'warning' : '' }, celsius(t.temp)));
}

// arrows moves among cells by the arrow keys: of each node only the first is a stop of the Tab key.
export function arrows(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const cells = [...event.currentTarget.querySelectorAll('a.cell')];
  const at = cells.indexOf(document.activeElement);
  if (at < 0) return;
  let next = step ? cells[at + step] : undefined;
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') next = nearest(cells, cells[at], event.key === 'ArrowDown');
  if (!next) return;
  event.preventDefault();
  next.focus();
}

// nearest is the cell in the row below or above, at the same place.
function nearest(cells, from, down) {
  const a = from.getBoundingClientRect();
  const same = cells.filter((c) => Math.abs(c.getBoundingClientRect().left - a.left) < 2);
  return same[same.indexOf(from) + (down ? 1 : -1)];
}

// legend says what the letters and the shades stand for.
export function legend(metric) {
  return h('p', { class: 'legend' },
    h('span', { class: 'shades' }, `${gauges[metric].title} 0`, [0, 2, 4, 6, 8].map((l) => h('span', { key: l, class: `cell l${l}` })), metric === 'temp' ? 'slows down' : '100%'),
    Object.entries(letters).map(([letter, word]) => h('span', { key: letter }, h('b', { class: letter === 'X' ? 'critical' : 'warning' }, letter), ` ${word}`)));
}

// inOrder are nodes by name, as the server has them, or the worst first.
export function inOrder(nodes, order, problems) {
  return order === 'worst' ? [...nodes].sort((a, b) => badness(a, problems) - badness(b, problems)) : nodes;
}
