// Graphs of the past of a GPU, and the timeline of the reasons for reduced clocks. All have one axis of time; a gap is time without a number.

import { h } from './dom.js';
import { age, known, none } from './format.js';

const tall = 100; // units of the drawing: the browser stretches it to the room that there is
let pointed = null; // the step under the pointer, the same in all graphs

// graph describes one graph: its title, its value now (or where the pointer is), and its curve on a fixed scale.
export function graph(chart, axis) {
  const scale = scaleOf(chart);
  const at = placeOf(axis);
  const shift = axis.length - chart.list.length; // a metric may have come later than the others
  const text = at === null ? chart.now : valueAt(chart, at - shift);
  const bad = at === null ? chart.nowBad ?? chart.held?.at(-1) : chart.held?.[at - shift];
  const when = at === null ? '' : `${age((axis.length - 1 - at) * axis.bin)} ago`;
  return h('figure', { key: chart.title.split(' of ')[0], class: 'graph' },
    h('figcaption', {}, h('span', { class: 'what' }, chart.title), h('span', { class: 'when' }, when), h('b', { class: bad ? 'warning' : '' }, text)),
    h('div', { class: 'plot' },
      h('span', { class: 'top' }, scale.top), h('span', { class: 'bottom' }, scale.bottom),
      drawing(axis, tall, { role: 'img', 'aria-label': `${chart.title}, now ${chart.now}` }, curves(chart, scale, axis, shift))),
    h('div', { class: 'axis' }, h('span', {}, `-${age(axis.length * axis.bin)}`), h('span', {}, 'now')));
}

// drawing is a picture that is as wide as the axis has steps, stretched to the room that there is.
function drawing(axis, height, props, ...kids) {
  return h('svg', { ...props, viewBox: `0 0 ${Math.max(axis.length, 2)} ${height}`, preserveAspectRatio: 'none', on: pointing(axis) }, kids, pointer(axis, height));
}

// pointer is a line where the pointer is, in any of the drawings.
function pointer(axis, height) {
  const at = placeOf(axis);
  return at !== null && h('line', { key: 'at', class: 'at', x1: at + 0.5, x2: at + 0.5, y1: 0, y2: height });
}

const placeOf = (axis) => (pointed !== null && pointed < axis.length ? pointed : null);

const valueAt = (chart, at) => (known(chart.list[at]) ? chart.text(chart.list[at]) : none);

// pointing follows the pointer, or a finger.
function pointing(axis) {
  const follow = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    pointed = Math.max(0, Math.min(axis.length - 1, Math.floor(((event.clientX - box.left) / box.width) * axis.length)));
    axis.draw();
  };
  const leave = () => {
    pointed = null;
    axis.draw();
  };
  return { pointermove: follow, pointerdown: follow, pointerleave: leave, pointercancel: leave };
}

// scaleOf is the scale: up to the limit where there is one, else up to a round number above all samples.
function scaleOf(chart) {
  const unit = chart.unit || 1;
  const high = known(chart.high) ? chart.high : roundAbove(Math.max(unit, ...chart.list.filter(known)) / unit) * unit;
  const low = chart.low || 0;
  const y = (v) => tall - (tall * (Math.min(Math.max(v, low), high) - low)) / (high - low || 1);
  return { y, top: String(Math.round(high / unit)), bottom: String(low) };
}

function roundAbove(v) {
  const ten = 10 ** Math.ceil(Math.log10(v));
  return [ten / 5, ten / 2].find((round) => round >= v) || ten;
}

function curves(chart, scale, axis, shift) {
  const runs = runsOf(chart.list, shift);
  const amber = chart.held ? runsOf(chart.list.map((v, i) => (chart.held[i] ? v : null)), shift) : [];
  return [
    known(chart.line) && h('line', { key: 'limit', class: 'limit', x1: 0, x2: axis.length, y1: scale.y(chart.line), y2: scale.y(chart.line) }),
    chart.area && h('path', { key: 'area', class: 'area', d: runs.map((run) => areaOf(run, scale)).join('') }),
    h('path', { key: 'curve', class: chart.quiet ? 'curve quiet' : 'curve', d: runs.map((run) => curveOf(run, scale)).join('') }),
    amber.length > 0 && h('path', { key: 'held', class: 'curve held', d: amber.map((run) => curveOf(run, scale)).join('') }),
  ];
}

// runsOf are the samples without their gaps: the place of each first one, and the samples.
function runsOf(list, shift) {
  const runs = [];
  list.forEach((v, i) => {
    if (!known(v)) return;
    const last = runs.at(-1);
    if (last && last.from + last.values.length === i + shift) last.values.push(v);
    else runs.push({ from: i + shift, values: [v] });
  });
  return runs;
}

const round = (v) => Math.round(v * 10) / 10;

// curveOf draws steps: a sample holds for its whole time.
function curveOf({ from, values }, { y }) {
  return `M${from} ${round(y(values[0]))}${values.map((v, i) => `V${round(y(v))}H${from + i + 1}`).join('')}`;
}

const areaOf = (run, scale) => `${curveOf(run, scale)}V${tall}H${run.from}Z`;

// The reasons for reduced clocks, the worst first; amber are those that a rule is about.
const reasons = [
  ['heat (hardware)', 'hw_thermal_slowdown', true], ['heat (software)', 'sw_thermal_slowdown', true], ['power brake', 'hw_power_brake_slowdown', true],
  ['power cap', 'sw_power_cap', false], ['sync boost', 'sync_boost', false], ['hardware slowdown', 'hw_slowdown', true],
  ['application clocks', 'applications_clocks_setting', false], ['display clocks', 'display_clock_setting', false], ['idle', 'gpu_idle', false],
];
const always = 4; // so many are there also when they never held

// heldBy says that the clocks were reduced for this reason. The hardware's slowdown is its own reason only where it gives no other.
const heldBy = (names, key) => names?.includes(key) && !(key === 'hw_slowdown' && hardware.some((reason) => names.includes(reason)));
const hardware = ['hw_thermal_slowdown', 'hw_power_brake_slowdown'];

// timeline is when the clocks were reduced, and why.
export function timeline(samples, axis, now) {
  const shift = axis.length - samples.length;
  const rows = reasons.filter(([, key], i) => i < always || samples.some((names) => heldBy(names, key)));
  return h('div', { class: 'timeline' }, rows.map(([name, key, bad]) => {
    const runs = runsOf(samples.map((names) => (heldBy(names, key) ? 1 : null)), shift);
    const held = heldBy(now, key);
    return h('div', { key, class: 'reason' }, h('span', { class: held && bad ? 'what warning' : runs.length ? 'what' : 'what dim' }, name),
      drawing(axis, 10, { 'aria-hidden': 'true' }, h('line', { key: 'none', class: 'limit', x1: 0, x2: axis.length, y1: 5, y2: 5 }),
        runs.map((run) => h('rect', { key: run.from, class: bad ? 'held' : 'on', x: run.from, y: 0, width: run.values.length, height: 10 }))),
      h('span', { class: held && bad ? 'now warning' : 'now' }, held ? 'now' : none));
  }));
}
