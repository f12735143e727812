/** The style of listing pages: dark if the browser prefers it, without times and sizes that a phone has no room for. */
export const STYLE = `
:root { color-scheme: light dark; --fg: #1c2024; --dim: #60646c; --line: #dcdfe4; --bg: #fff; --hover: #f2f5f9; --link: #0a58ca }
@media (prefers-color-scheme: dark) {
  :root { --fg: #e6e8eb; --dim: #9ba1a6; --line: #33383d; --bg: #16181a; --hover: #212529; --link: #79b8ff }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--bg); color: var(--fg); font: 16px/1.5 system-ui, sans-serif }
a { color: var(--link); text-decoration: none }
a:hover, a:focus { text-decoration: underline }
h1 { margin: 0 0 .75rem; font-size: 1.25rem; font-weight: 600; overflow-wrap: anywhere }
.tools { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; margin-bottom: .75rem }
input { flex: 1; min-width: 8rem; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--bg); color: var(--fg); font: inherit }
table { width: 100%; border-collapse: collapse }
th, td { padding: .4rem .6rem; border-bottom: 1px solid var(--line); text-align: left }
th { font-size: .9rem }
tbody tr:hover { background: var(--hover) }
.name { width: 100%; overflow-wrap: anywhere }
.size, .time { white-space: nowrap; text-align: right; color: var(--dim); font-variant-numeric: tabular-nums }
.note { color: var(--dim) }
@media (max-width: 40rem) { .time { display: none } body { padding: .6rem } th, td { padding: .5rem .3rem } }
`;

/** The script of listing pages: local times, and the filter. Without it, times are in UTC. */
export const SCRIPT = `
  for (const time of document.querySelectorAll('time')) {
    const date = new Date(time.dateTime);
    if (!isNaN(date)) time.textContent = date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  }
  const filter = document.getElementById('filter');
  const rows = [...document.querySelectorAll('tbody tr[data-name]')];
  filter.hidden = false;
  filter.oninput = () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.dataset.name.toLowerCase().includes(wanted);
  };
  filter.oninput();
`;
