// What is around each page: the tabs, the state of the connection, and the health of all jobs in one line.

import { h } from './dom.js';
import { age, clock, plural } from './format.js';
import { glyphs, problemsOf } from './model.js';
import { nodeLink } from './parts.js';

const tabs = [['jobs', 'Jobs'], ['nodes', 'Nodes'], ['problems', 'Problems'], ['processes', 'Processes'], ['ranks', 'Ranks'], ['users', 'Users'], ['cluster', 'Cluster']];

// frame describes the whole page.
export function frame(live, route, draw) {
  const docs = route.parts.map((part) => live.parts[part]);
  const doc = docs[0];
  const { jobs, overall } = docs.at(-1) || {};
  const gone = live.goneSince !== null;
  return [
    h('header', { key: 'top' }, h('a', { class: 'brand', href: '#/jobs' }, 'nvnodetop'), tabRow(route, jobs), connection(live, doc)),
    h('div', { key: 'health', class: 'health', role: 'region', 'aria-label': 'Health' }, gone ? h('p', { class: 'gone' }, goneText(live, doc)) : healthLine(jobs, overall)),
    h('main', { key: route.parts[0], class: gone ? 'old' : '', 'aria-label': route.title }, headed(route, body(live, route, docs, draw))),
  ];
}

// headed gives a page a heading for those who do not see it, if it has none of its own.
function headed(route, page) {
  const kids = [page].flat(Infinity);
  return kids.some((kid) => kid?.tag === 'h1') ? kids : [h('h1', { key: 'unseen', class: 'unseen' }, route.title), ...kids];
}

function tabRow(route, jobs) {
  const problems = jobs ? problemsOf(jobs).filter((f) => f.severity === 'critical' || f.severity === 'warning') : [];
  const worst = problems.some((f) => f.severity === 'critical') ? 'critical' : 'warning';
  const badge = problems.length > 0 && h('span', { class: `badge ${worst}` }, String(problems.length));
  return h('nav', { 'aria-label': 'Pages' }, tabs.map(([name, title]) => h(
    'a', { key: name, href: `#/${name}`, class: 'tab', 'aria-current': route.tab === name && 'page' }, title, name === 'problems' && badge,
  )));
}

// connection says whether the numbers are those of now, and when they were taken, by the clock of the server.
function connection(live, doc) {
  const gone = live.goneSince !== null;
  const word = live.denied ? 'not signed in' : gone ? 'no server' : doc ? 'live' : 'loading';
  return h('div', { class: 'connection' }, h('span', { class: gone ? 'state critical' : 'state', role: 'status' }, word), h('time', {}, doc ? clock(doc.time) : '--:--:--'));
}

// goneText stands in the place of the health: nothing is known of that any more, and nothing moves.
function goneText(live, doc) {
  const since = age((Date.now() - live.goneSince) / 1000);
  if (live.denied) return 'Not signed in. Open the address that nvnodetop serve has printed.';
  const what = live.ended ? `The server was stopped ${since} ago.` : `The server has not answered for ${since}.`;
  return `${what} ${doc ? `These numbers are of ${clock(doc.time)}. ` : ''}Trying again.`;
}

const many = { critical: ['critical', 'critical'], warning: ['warning', 'warnings'], waiting: ['connecting', 'connecting'] };

// healthLine counts what is wrong, the worst first, and what is seen: what jobs share once.
function healthLine(jobs, overall) {
  if (!jobs) return h('span', { class: 'dim' }, ' ');
  const problems = problemsOf(jobs);
  const chips = Object.entries(many).map(([severity, [one, more]]) => {
    const n = problems.filter((f) => f.severity === severity).length;
    return n > 0 && h('a', { key: severity, class: `chip ${severity}`, href: '#/problems' }, `${glyphs[severity]} ${plural(n, one, more)}`);
  }).filter(Boolean);
  const { nodes, nodes_reporting: reporting, gpus: all, gpus_seen: seen } = overall;
  return [
    chips.length ? chips : h('span', { key: 'well', class: 'dim' }, jobs.length ? `all ${all} GPUs well` : 'no running jobs'),
    jobs.length > 0 && h('span', { key: 'seen', class: 'seen' }, `${all > 0 ? `${seen} of ${all} GPUs, ` : ''}${reporting} of ${nodes} nodes reporting`),
  ];
}

// nothing stands in the place of what the server does not have: a GPU of a node that does not report, or a job that has ended.
function nothing(route) {
  if (route.parts[0].includes('/log')) return h('p', { class: 'empty' }, 'Logs are shown of running jobs, if the server runs with --logs. See ', h('a', { class: 'link', href: '#/jobs' }, 'all jobs'), '.');
  const [node, gpu] = route.args;
  const [to, text] = gpu ? [nodeLink(node), `node ${node}`] : ['#/jobs', 'all jobs'];
  return h('p', { class: 'empty' }, `There is nothing to show of ${route.title} now. See `, h('a', { class: 'link', href: to }, text), '.');
}

// unknownPage says that an address names no page.
export function unknownPage() {
  return h('p', { class: 'empty' }, `There is no page ${location.hash}. See `, h('a', { class: 'link', href: '#/jobs' }, 'all jobs'), '.');
}

function body(live, route, docs, draw) {
  if (route.parts.some((part) => live.missing.has(part))) return nothing(route);
  if (docs.some((doc) => !doc)) return h('p', { class: 'empty' }, live.goneSince === null ? 'Loading.' : '');
  return route.page(docs[0], { args: route.args, draw, docs });
}
