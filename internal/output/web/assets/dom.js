// Elements as a function of data: h describes them, patch makes the page so, changing only what differs. So a focused link stays focused, marked
// text stays marked, and nothing flickers at an update. Text always becomes text nodes: what a node or SLURM says can never become markup.

const SVG = 'http://www.w3.org/2000/svg';
const svgTags = new Set(['svg', 'path', 'line', 'rect', 'g']);
const memory = Symbol('what patch made of an element');

// h describes an element. Props are attributes, but: key tells it from its siblings, on has handlers, vars has custom properties of CSS (the policy
// of the page forbids style attributes), and value is the property of an input.
export function h(tag, props, ...kids) {
  return { tag, props: props || {}, kids: kids.flat(Infinity).filter((kid) => kid !== null && kid !== undefined && kid !== false && kid !== '') };
}

// patch makes the children of an element those described.
export function patch(parent, kids) {
  const before = parent[memory]?.nodes || [];
  const free = new Map();
  for (const node of before) {
    const name = nameOf(node[memory].described);
    if (free.has(name)) free.get(name).push(node);
    else free.set(name, [node]);
  }
  const nodes = kids.map((kid) => {
    const node = free.get(nameOf(kid))?.shift() || create(kid);
    update(node, kid);
    return node;
  });
  for (const left of free.values()) left.forEach((node) => node.remove());
  nodes.forEach((node, i) => {
    if (parent.childNodes[i] !== node) parent.insertBefore(node, parent.childNodes[i] || null);
  });
  parent[memory] = { ...parent[memory], nodes };
}

// nameOf is what an element and its description must share for the element to be kept.
function nameOf(kid) {
  return typeof kid === 'object' ? `${kid.tag} ${kid.props.key ?? ''}` : '#text';
}

function create(kid) {
  if (typeof kid !== 'object') return document.createTextNode('');
  return svgTags.has(kid.tag) ? document.createElementNS(SVG, kid.tag) : document.createElement(kid.tag);
}

function update(node, kid) {
  const was = node[memory]?.described;
  node[memory] = { ...node[memory], described: kid };
  if (typeof kid !== 'object') {
    if (was !== kid) node.data = String(kid);
    return;
  }
  const props = was?.props || {};
  for (const name in kid.props) if (kid.props[name] !== props[name]) set(node, name, kid.props[name], props[name]);
  for (const name in props) if (!(name in kid.props)) set(node, name, null, props[name]);
  patch(node, kid.kids);
}

function set(node, name, value, was) {
  switch (name) {
    case 'key': return;
    case 'on': for (const event in { ...was, ...value }) node[`on${event}`] = value?.[event] || null; return;
    case 'vars': for (const v in { ...was, ...value }) setVariable(node, v, value?.[v], was?.[v]); return;
    case 'value': if (node.value !== value) node.value = value ?? ''; return;
  }
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? '' : value);
}

function setVariable(node, name, value, was) {
  if (value === was) return;
  if (value === undefined || value === null) node.style.removeProperty(name);
  else node.style.setProperty(name, value);
}
