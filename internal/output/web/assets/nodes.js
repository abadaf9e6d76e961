// The page of all nodes: rows, or a heat map where they are many.

import { h } from './dom.js';
import { choice, choose } from './choices.js';
import { plural } from './format.js';
import { gauges, Problems } from './model.js';
import { arrows, heatMap, inOrder, legend, nodeRows } from './cells.js';
import { section, switches } from './parts.js';

const many = 12; // nodes from which the heat map comes by itself

export function nodesPage(doc, { draw }) {
  const note = `${plural(doc.nodes.length, 'node', 'nodes')}`;
  return [section('Nodes', note, nodeGrid(doc, doc.nodes, undefined, draw))];
}

// nodeGrid is nodes with the choices of how they are shown: of one job, or of all.
export function nodeGrid(doc, nodes, job, draw) {
  if (!nodes.length) return h('p', { class: 'empty' }, 'No nodes.');
  const metric = choice('metric', Object.keys(gauges));
  const order = choice('order', ['name', 'worst']);
  const view = choice('view', nodes.length > many ? ['map', 'rows'] : ['rows', 'map']);
  const problems = new Problems(doc.jobs);
  const at = { problems, job, metric, time: doc.time };
  const pick = (name) => (value) => {
    choose(name, value);
    draw();
  };
  const sorted = inOrder(nodes, order, problems);
  return [
    h('div', { key: 'choices', class: 'choices' },
      switches('show', Object.entries(gauges).map(([key, g]) => [key, g.brief]), metric, pick('metric')),
      switches('order', [['name', 'name'], ['worst', 'worst first']], order, pick('order')),
      switches('as', [['map', 'map'], ['rows', 'rows']], view, pick('view'))),
    h('div', { key: view, on: { keydown: arrows } }, view === 'map' ? heatMap(sorted, at) : nodeRows(sorted, at)),
    legend(metric),
  ];
}
