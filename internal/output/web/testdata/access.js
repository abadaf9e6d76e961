// Faults of the page for those who see it badly, or not at all, as a list of texts. The rules are of WCAG 2: 1.4.3, 1.3.1, 2.5.3 and 4.1.2.
(() => {
  const faults = [];
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest('.unseen') && e.getClientRects().length > 0;
  const brief = (e) => e.outerHTML.replace(/\s+/g, ' ').slice(0, 120);

  // rgba are the parts of any color of CSS, from 0 to 1.
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((v) => v / 255);
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const light = (c) => c.slice(0, 3).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };

  // groundsOf are the colors behind an element: two where it is striped.
  const groundsOf = (e) => {
    if (!e) return [[1, 1, 1, 1]];
    const style = getComputedStyle(e);
    const color = rgba(style.backgroundColor);
    if (color[3] === 1) return [color];
    const behind = groundsOf(e.parentElement).map((c) => over(color, c));
    const stripes = (style.backgroundImage.match(/(rgba?|color)\([^)]*\)/g) || []).map(rgba);
    return [...behind, ...stripes.map((c) => over(c, behind[0]))];
  };
  const clearness = (e) => (e ? Number(getComputedStyle(e).opacity) * clearness(e.parentElement) : 1);

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!/[^\s·]/.test(texts.currentNode.data) || !shown(e) || e.closest('noscript, option')) continue;
    const color = rgba(getComputedStyle(e).color);
    color[3] *= clearness(e);
    const worst = Math.min(...groundsOf(e).map((ground) => contrast(over(color, ground), ground)));
    if (worst < 4.5) faults.push(`contrast ${worst.toFixed(2)}: ${brief(e)}`);
    if (!e.closest('header, main, [role="region"][aria-label]')) faults.push(`in no landmark: ${brief(e)}`);
  }

  const heads = document.querySelectorAll('h1');
  if (heads.length !== 1 || !heads[0].textContent.trim()) faults.push(`${heads.length} h1`);
  const mains = document.querySelectorAll('main[aria-label]').length;
  if (mains !== 1) faults.push(`${mains} main`);
  for (const e of document.querySelectorAll('th')) if (!e.textContent.trim()) faults.push(`heading without text: ${brief(e)}`);

  const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  for (const e of document.querySelectorAll('a, button, input, select')) {
    const label = e.getAttribute('aria-label') || '';
    const own = e.matches('input, select') ? (e.labels[0]?.innerText || '') : e.textContent;
    if (!letters(label || own)) faults.push(`without a name: ${brief(e)}`);
    if (label && !e.matches('input') && shown(e) && !letters(label).includes(letters(e.innerText))) faults.push(`name lacks ${e.innerText}: ${brief(e)}`);
  }
  return faults.slice(0, 20);
})()
