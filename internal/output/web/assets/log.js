// The page of the log of a job: its last lines, again with each new state. Its text is only ever text.

import { h } from './dom.js';
import { section } from './parts.js';

export function logPage(doc, { args }) {
  const [id, of] = args;
  const other = of === 'stderr' ? ['standard output', `#/log/${encodeURIComponent(id)}`] : ['standard error', `#/log/${encodeURIComponent(id)}/stderr`];
  const where = doc.node ? `${doc.path} on ${doc.node}` : doc.path || '';
  return [
    h('h1', { key: 'title' }, h('span', { class: 'dim' }, 'Log of job '), h('a', { class: 'link', href: `#/job/${encodeURIComponent(id)}` }, id)),
    section('Log', doc.error ? '' : size(doc.size_bytes), !doc.error && h('p', { class: 'where' }, where), doc.error ? h('p', { class: 'empty' }, doc.error) : lines(doc)),
    !doc.both && h('p', { key: 'other' }, h('a', { class: 'link', href: other[1] }, other[0])),
  ].filter(Boolean);
}

// size is the size of a log, which may be small.
function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), 5);
  return `${(bytes / 1024 ** power).toFixed(1)} ${' KMGTP'[power]}iB`;
}

function lines(doc) {
  if (!doc.lines.length) return h('p', { class: 'empty' }, 'The log is empty.');
  return h('pre', { class: 'log' }, doc.lines.map((l) => h('div', { key: l.offset, class: l.mark ? 'marked' : '', title: l.mark || false }, l.text || ' ')));
}
