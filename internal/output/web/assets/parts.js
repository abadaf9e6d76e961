// Parts that several pages have: sections, bars, tables, lists of problems.

import { h } from './dom.js';
import { age, between, clock, known, percent } from './format.js';
import { addressOf, glyphs, labelOf, markOf } from './model.js';

const safe = encodeURIComponent;
export const nodeLink = (name) => `#/node/${safe(name)}`;
export const gpuLink = (name, g) => `#/gpu/${safe(name)}/${safe(addressOf(g))}`;
export const jobLink = (id) => `#/job/${safe(id || '-')}`; // a job without an ID is of nodes that were named

// section is a part of a page under a title, with a note at its right.
export function section(title, note, ...kids) {
  return h('section', { key: title }, h('h2', {}, title, h('span', { class: 'rule' }), note && h('span', { class: 'note' }, note)), kids);
}

// bar is a level in percent. A level above 0 is never drawn empty, one below 100 never full; the number beside it is what is read aloud.
export function bar(level, kind) {
  const drawn = !known(level) ? 0 : level <= 0 ? 0 : level >= 100 ? 100 : Math.min(99, Math.max(2, level));
  return h('span', { class: `bar ${kind || ''}`, 'aria-hidden': 'true', vars: { '--level': `${drawn}%` } });
}

// meter is a bar with its number.
export function meter(level, kind, text) {
  return h('span', { class: 'meter' }, bar(level, kind), h('span', { class: `number ${kind || ''}` }, text ?? percent(level)));
}

// fact is a name with a value, in a row of facts.
export function fact(name, value, kind) {
  return h('div', { key: name, class: 'fact' }, h('dt', {}, name), h('dd', { class: kind || '' }, value));
}

export const facts = (...all) => h('dl', { class: 'facts' }, all.filter(Boolean));

// table is a table whose columns keep their widths whatever they hold. A column has a title, a class and, of a sorted table, a key.
export function table(name, columns, rows, sort) {
  return h('table', { class: name, role: 'table' },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, columns.map((c, i) => heading(c, i, sort)))),
    h('tbody', { role: 'rowgroup' }, rows));
}

function heading(column, i, sort) {
  if (!column.title) return h('th', { key: i, class: column.class, scope: 'col', role: 'columnheader' }, h('span', { class: 'unseen' }, 'Worst problem'));
  if (!sort || !column.key) return h('th', { key: i, class: column.class, scope: 'col', role: 'columnheader' }, column.title);
  const [order, arrow] = sort.key !== column.key ? ['none', ''] : sort.down ? ['descending', '↓'] : ['ascending', '↑'];
  return h('th', { key: i, class: column.class, scope: 'col', role: 'columnheader', 'aria-sort': order },
    h('button', { type: 'button', on: { click: () => sort.by(column.key) } }, column.title, h('span', { class: 'arrow', 'aria-hidden': 'true' }, arrow)));
}

// row is a row of a table. Its cells are [class, content], in the order of the columns, and maybe their title.
export function row(key, kind, cells) {
  return h('tr', { key, class: kind, role: 'row' }, cells.map(([name, content, title], i) => h('td', { key: i, class: name, role: 'cell', 'data-title': title }, content)));
}

// mark is the glyph of the worst of some problems, with a word for those who do not see it.
export function mark(problems) {
  const worst = markOf(problems);
  return worst ? h('span', { class: `mark ${worst}`, title: worst }, glyphs[worst]) : h('span', { class: 'mark' });
}

// brief names the worst of some problems, and how many more there are; with a time also its age.
export function brief(problems, time, where) {
  const real = problems.filter((f) => f.severity !== 'note');
  if (!real.length) return '';
  const f = real[0];
  const more = real.length > 1 ? ` +${real.length - 1}` : '';
  const place = where ? `${where(f)} `.trimStart() : f.gpu !== undefined ? `GPU${f.gpu} ` : '';
  return h('span', { class: `brief ${f.severity}`, title: f.text }, `${place}${labelOf(f)}${time ? ` ${since(f, time)}` : ''}${more}`);
}

// since is the age of a problem, with > where it was there before anybody looked.
export function since(f, time) {
  return f.since ? `${f.since_before ? '>' : ''}${age(between(f.since, time))}` : '';
}

const placeOf = (f) => (f.gpu !== undefined ? ` GPU${f.gpu}` : f.gpu_key ? ` ${f.gpu_key}` : f.gpus?.length ? ` GPU${f.gpus.join(',')}` : '');

// placeLink leads to the node of a problem; one of a whole job has none.
const placeLink = (f) => (f.node ? h('a', { class: 'place', href: nodeLink(f.node) }, f.node, placeOf(f)) : h('span', { class: 'place' }, 'the job'));

// problemList lists problems, each with its age, its place, what it is and what to do.
export function problemList(problems, time, jobs) {
  if (!problems.length) return h('p', { class: 'empty' }, 'None.');
  return h('ul', { class: 'problems' }, problems.map((f) => h('li', { key: [f.kind, f.node, f.gpu, f.gpu_key].join(' '), class: f.severity },
    h('span', { class: `mark ${f.severity}`, title: f.severity }, glyphs[f.severity]),
    h('span', { class: 'age' }, since(f, time)),
    placeLink(f),
    h('div', { class: 'words' }, h('p', {}, f.text || labelOf(f)), f.hint && h('p', { class: 'hint' }, `→ ${f.hint}`)),
    h('span', { class: 'job' }, jobs && f.jobs.filter(Boolean).map((id) => h('a', { key: id, href: jobLink(id) }, id))))));
}

// clearedList lists problems that are over, and when they were.
export function clearedList(cleared) {
  return h('ul', { class: 'problems over' }, cleared.map((f) => h('li', { key: [f.kind, f.node, f.gpu, f.gpu_key, f.over].join(' ') },
    h('span', { class: 'mark', title: 'cleared' }, glyphs[f.severity]),
    h('span', { class: 'age' }, clock(f.over).slice(0, 5)),
    placeLink(f),
    h('div', { class: 'words' }, h('p', {}, `${labelOf(f)}${(f.times || 1) > 1 ? `, ${f.times} times` : ''}, for ${age(between(f.since, f.over))}`)),
    h('span', { class: 'job' }))));
}

// switches is a row of buttons of which one is pressed.
export function switches(label, values, now, chosen) {
  return h('div', { class: 'switches', role: 'group', 'aria-label': label }, h('span', { class: 'dim' }, label), values.map(([value, title]) => h(
    'button', { key: value, type: 'button', 'aria-pressed': String(now === value), on: { click: () => chosen(value) } }, title)));
}
