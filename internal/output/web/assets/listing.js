// A list that can be sorted and searched: its columns are fields, which fields.js has.

import { h } from './dom.js';
import { choice, choose } from './choices.js';
import { bytes, known, none, plural, power, span, speed } from './format.js';
import { row, section, switches, table } from './parts.js';

const page = 200; // rows that are shown at first: more are there at a touch
const states = {}; // what was typed and how many rows are shown, by the name of the list

// classes are what the look of a cell goes by, where that is not the key of its field.
const classes = { node: 'name', command: 'words' };
export const classOf = (f) => classes[f.key] || (f.unit === 'text' || f.key === 'gpu' ? f.key : `${f.key} number w${f.width}${room(f)}${f.slow ? ' pace' : ''}`);

// room is for how much room a number waits: late and last give way first, spare is on no phone.
const room = (f) => (f.spare || !f.place ? ' spare' : f.place > 10 ? ' last' : f.place === 10 ? ' late' : '');

const column = (f) => ({ title: f.title, class: classOf(f), key: f.key });

// written is a value as the screen of nvnodetop writes it.
export function written(f, v) {
  if (f.unit === 'text') return v || none;
  if (!known(v)) return none;
  return { bytes, bytes_per_second: speed, seconds: span, watts: (w) => power(w, undefined, w >= 1000) }[f.unit]?.(v) ?? v.toFixed(f.decimals);
}

// listPage is the page of a list. Of it there must be: name, look (the class of its table), title, nouns, fields, hint, rows(doc, docs), value(row, field), cell(row, field),
// key(row), kind(row), empty(doc).
export function listPage(of) {
  return (doc, { draw, docs }) => {
    const state = states[of.name] ??= { search: '', shown: page };
    const all = of.fields.some((f) => f.spare) && choice(`${of.name}.columns`, ['usual', 'all']) === 'all';
    const shown = of.fields.filter((f) => !f.spare || all);
    const rows = of.rows(doc, docs);
    const found = rows.filter(matches(of, state.search));
    const key = choice(`${of.name}.sort`, shown.map((f) => f.key));
    const field = shown.find((f) => f.key === key);
    const down = choice(`${of.name}.down`, [field.down, true, false]);
    const by = (to) => {
      choose(`${of.name}.down`, to === key ? !down : shown.find((f) => f.key === to).down);
      choose(`${of.name}.sort`, to);
      draw();
    };
    const sorted = inOrder(found, (r) => of.value(r, field), down);
    const more = () => {
      state.shown += page;
      draw();
    };
    return [section(of.title, note(of, rows.length, found.length), choices(of, state, shown, key, by, draw),
      table(`${of.look} everywhere ${all ? 'all' : ''}`, shown.map(column), sorted.slice(0, state.shown).map((r) => line(of, shown, r)), { key, down, by }),
      sorted.length > state.shown && h('button', { type: 'button', class: 'more', on: { click: more } }, `+${sorted.length - state.shown} more`),
      !rows.length && h('p', { class: 'empty' }, of.empty(doc)))];
  };
}

// plainTable is some rows of a list without choices, with these fields.
export function plainTable(of, rows, fields) {
  return table(of.look, fields.map(column), rows.map((r) => line(of, fields, r)), null);
}

const line = (of, fields, r) => row(of.key(r), of.kind(r), fields.map((f) => [`${classOf(f)}${of.mark?.(r, f) || ''}`, of.cell(r, f), f.title]));

const note = (of, all, found) => (found < all ? `${found} of ${plural(all, ...of.nouns)}` : plural(all, ...of.nouns));

// choices are the search, the order where the table has no headings (on a narrow screen), and which columns are shown.
function choices(of, state, shown, key, by, draw) {
  const search = (event) => {
    state.search = event.target.value;
    state.shown = page;
    draw();
  };
  const options = shown.map((f) => h('option', { key: f.key, value: f.key, selected: f.key === key }, f.title));
  const columns = (to) => {
    choose(`${of.name}.columns`, to);
    draw();
  };
  return h('div', { class: 'choices' },
    h('input', { type: 'search', placeholder: of.hint, 'aria-label': `Show only ${of.nouns[1]} with this in them`, value: state.search, on: { input: search } }),
    h('label', { class: 'sortline' }, 'sort by ', h('select', { on: { change: (event) => by(event.target.value) } }, options)),
    of.fields.some((f) => f.spare) && switches('columns', [['usual', 'usual'], ['all', 'all']], choice(`${of.name}.columns`, ['usual', 'all']), columns));
}

// matches finds a row by all words of a search, in its texts and its numbers that are names.
function matches(of, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fields = of.fields.filter((f) => f.unit === 'text' || f.key === 'pid');
  return (r) => {
    const text = fields.map((f) => of.value(r, f)).join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

// inOrder sorts rows. What is not known comes last, whichever way.
function inOrder(rows, of, down) {
  const way = down ? -1 : 1;
  return rows.map((r) => [r, of(r)]).sort(([, a], [, b]) => {
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    return way * (typeof a === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true }));
  }).map(([r]) => r);
}
