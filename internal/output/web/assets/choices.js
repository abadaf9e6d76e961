// What the user has chosen on the page, such as the order of processes. It is remembered in the browser, if that allows it.

const place = 'nvnodetop';

function stored() {
  try {
    return JSON.parse(localStorage.getItem(place)) || {};
  } catch {
    return {};
  }
}

const chosen = stored();

// choice is what was chosen of these values, else the first of them.
export function choice(name, values) {
  return values.includes(chosen[name]) ? chosen[name] : values[0];
}

export function choose(name, value) {
  chosen[name] = value;
  try {
    localStorage.setItem(place, JSON.stringify(chosen));
  } catch {
    // A private window: the choice holds until the page is closed.
  }
}
