// The page of the stacks of a job: where its ranks were when they were asked last. Opening it asks no rank: that would let everybody who sees the
// page stop the processes of the job for a moment.

import { h } from './dom.js';
import { clock, plural } from './format.js';
import { section } from './parts.js';

const most = 8; // innermost frames that are shown of a group

export function stacksPage(doc, { args }) {
  const [id] = args;
  const found = doc.stacks;
  const title = h('h1', { key: 'title' }, h('span', { class: 'dim' }, 'Stacks of job '), h('a', { class: 'link', href: `#/job/${encodeURIComponent(id)}` }, id));
  const command = h('p', { key: 'command', class: 'dim' }, 'The server asks the ranks of a job once, when it seems to hang; this page never does. To ask them now: ', h('code', {}, `nvnodetop stacks ${id}`));
  if (!found) return [title, section('Stacks', '', h('p', { class: 'empty' }, 'The ranks of this job have not been asked.'), command)];
  const unread = found.refused || [];
  return [
    title,
    section('Stacks', `at ${clock(found.time)}`, [...(found.nccl?.said || []), ...found.said].map((line, i) => h('p', { key: i }, line)), command),
    section('Groups', `${found.read} of ${plural(found.asked, 'process', 'processes')} read`, (found.groups || []).map(group)),
    unread.length > 0 && section('Not read', '', unread.map((r) => h('p', { key: r.id }, `${r.members}: ${r.cause}. `, r.hint && h('span', { class: 'hint' }, `→ ${r.hint}`)))),
  ].filter(Boolean);
}

// group is ranks with equal stacks, with the frames that are innermost.
function group(g, i) {
  const frames = g.frames || [];
  const more = frames.length > most ? [`… and ${frames.length - most} more outside`] : g.deeper ? ['… and more outside'] : [];
  const lines = frames.length ? [...frames.slice(0, most).map(frameText), ...more] : [g.summary];
  return h('div', { key: i, class: 'stack' },
    h('p', { class: g.outlier ? 'warning' : '' }, h('b', {}, g.members), ` ${g.ranks.length > 1 ? `(${g.ranks.length})` : ''}${g.moved > 0 ? ' moving' : ''}`),
    h('pre', { class: 'log' }, lines.map((line, k) => h('div', { key: k }, line))));
}

const frameText = (f) => `${f.function}${f.file ? `  ${f.file}${f.line ? `:${f.line}` : ''}` : ''}`;
