// The connection to the server: one stream that says that there is something new, and one request for each part of the document that the page
// shows. The server is asked for nothing else, and for nothing at all while nobody looks at the tab.

const patience = 10000; // ms until a request has failed
const silence = 20000; // ms without a word after which the server is asked whether it is still there
const waits = [1000, 2000, 4000, 8000, 15000]; // ms between attempts

const waitOf = (attempts) => waits[Math.min(attempts, waits.length - 1)];

export class Live {
  // changed is called after everything that the page shows has changed.
  constructor(changed) {
    this.changed = changed;
    this.parts = {}; // what was fetched last of each part
    this.wanted = []; // the parts that the page shows
    this.missing = new Set(); // those of them that the server does not know
    this.goneSince = null; // when the server stopped to answer, by the clock of the browser
    this.denied = false; // the server does not know us
    this.ended = false; // the server has said that it stops
    this.failures = 0; // of fetching, in a row
    this.breaks = 0; // of the stream, in a row
    document.addEventListener('visibilitychange', () => this.wake());
    window.addEventListener('online', () => this.wake());
    window.addEventListener('pageshow', (event) => event.persisted && this.wake());
    setInterval(() => this.watch(), 1000);
    this.listen();
  }

  // show names the parts that the page shows from now on. What was fetched of others before is kept, so going back shows at once.
  show(parts) {
    this.wanted = parts;
    this.missing.clear();
    this.fetch();
  }

  // listen opens the stream. One that breaks is closed at once: how often it is tried again is up to us, and it may be that only the stream is refused.
  listen() {
    clearTimeout(this.listening);
    this.listening = null;
    this.stream?.close();
    this.heard = Date.now();
    const stream = new EventSource('api/v1/events');
    this.stream = stream;
    stream.addEventListener('snapshot', () => {
      this.breaks = 0;
      this.news();
    });
    stream.addEventListener('end', () => {
      stream.close();
      this.ended = true;
      this.lost();
    });
    stream.addEventListener('error', () => {
      stream.close();
      if (!this.ended) this.fetch();
    });
  }

  news() {
    this.heard = Date.now();
    this.fetch();
  }

  // wake is called when somebody looks at the tab again, or no longer.
  wake() {
    if (document.hidden) return this.stream.close();
    this.breaks = 0;
    this.fetch();
  }

  // watch notices a server that is silent, and lets the age of the silence be seen.
  watch() {
    if (document.hidden) return;
    if (this.goneSince !== null) this.changed();
    else if (Date.now() - this.heard > silence) this.news();
  }

  // fetch asks for the parts. While it does, what is new meanwhile is asked for once more.
  async fetch() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    this.again = false;
    const good = (await Promise.all(this.wanted.map((part) => this.get(part)))).every(Boolean);
    this.busy = false;
    if (good) this.back();
    else this.lost();
    this.changed();
    if (this.again) this.fetch();
  }

  // get fetches a part, and says whether the server is there.
  async get(part) {
    try {
      const reply = await fetch(`api/v1/${part}`, { cache: 'no-cache', credentials: 'same-origin', signal: AbortSignal.timeout(patience) });
      this.denied = reply.status === 401 || reply.status === 403;
      if (reply.status === 404) {
        this.missing.add(part);
        return true;
      }
      if (!reply.ok) return false;
      this.parts[part] = await reply.json();
      this.missing.delete(part);
      return true;
    } catch {
      return false;
    }
  }

  // back is called when the server has answered. A stream that has broken is opened again, ever less often if it breaks each time.
  back() {
    this.failures = 0;
    this.goneSince = null;
    this.ended = false;
    this.heard = Date.now();
    if (this.stream.readyState !== EventSource.CLOSED || this.listening || document.hidden) return;
    this.listening = setTimeout(() => this.listen(), this.breaks ? waitOf(this.breaks) : 0);
    this.breaks++;
  }

  // lost tries again after a while, ever less often.
  lost() {
    this.goneSince ??= Date.now();
    this.changed();
    clearTimeout(this.trying);
    this.trying = setTimeout(() => !document.hidden && this.fetch(), waitOf(this.failures++));
  }
}
