import type { BaseContext } from '@ordbook/db/context.ts'
import { htmlOf } from './markdown.ts'
import { inMarkup } from './markup.ts'

import { datedPage, listAreas } from './reference.ts'

export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const STYLE = `
:root{color-scheme:light dark;--ground:#fbfaf7;--panel:#f1efe8;--text:#1c1f24;--soft:#565c66;--line:#d8d4c8;--link:#8a4b00;--mark:#ffe9b8}
@media(prefers-color-scheme:dark){:root{--ground:#0f1217;--panel:#191e26;--text:#e8e6e0;--soft:#a4abb6;--line:#2e3540;--link:#ffb454;--mark:#4a3a12}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,sans-serif;display:grid;grid-template-columns:15rem minmax(0,56rem);gap:0 2.5rem}
a{color:var(--link)}
a:focus-visible,[tabindex]:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--ground);padding:.5rem;z-index:1}
header{background:var(--panel);padding:1.25rem;border-right:1px solid var(--line);position:sticky;top:0;height:100vh;overflow-y:auto}
header p{margin:0 0 1rem;font-weight:600}
nav ul{list-style:none;margin:0;padding:0}
nav a{display:block;padding:.3rem .5rem;text-decoration:none;border-radius:.25rem}
nav a[aria-current]{background:var(--mark);color:var(--text);font-weight:600}
main{padding:1.5rem 1.25rem 5rem;min-width:0}
main:focus{outline:none}
h1{margin-top:0}
h2{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);font-size:1.2rem;overflow-wrap:anywhere}
h3{font-size:1rem;margin-bottom:.25rem;overflow-wrap:anywhere}
.here{color:var(--soft)}
:target{background:var(--mark)}
code{font:.875em/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
p code,li code,td code{background:var(--panel);padding:.1em .25em;border-radius:.2em}
pre{background:var(--panel);padding:.75rem;overflow-x:auto;max-height:32rem;border-radius:.25rem}
pre code{overflow-wrap:normal}
.wide{overflow-x:auto;margin:.5rem 0 1.25rem}
table{border-collapse:collapse;width:100%;font-size:.925rem}
th,td{border-bottom:1px solid var(--line);padding:.35rem .6rem .35rem 0;text-align:left;vertical-align:top;min-width:5rem}
@media(max-width:52rem){body{display:block}header{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}nav ul{display:flex;flex-wrap:wrap;gap:.25rem}main{padding-top:1rem}}
@media print{header{display:none}body{display:block}pre{max-height:none;white-space:pre-wrap}}
`

/** Renders a reference page, or the index if `page` is null. Returns null if the page does not exist. */
export function htmlPage(
  page: string | null,
  context: Pick<BaseContext, 'publicUrl' | 'config'>,
): string | null {
  const text = datedPage(page, context)
  if (text === null) return null
  const title = /^# (.+)$/m.exec(text)![1]!
  const market = inMarkup(context.config.marketName)
  const entry = (name: string | null, label: string) =>
    `<li><a href="/docs${name ? `/${name}` : ''}"${name === page ? ' aria-current="page"' : ''}>${label}</a></li>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${inMarkup(title)} · ${market}</title><style>${STYLE}</style></head><body>
<a class="skip" href="#main">Skip to the content</a>
<header><p><a href="/">${market}</a></p><nav aria-label="Reference"><ul>
${[entry(null, 'All operations'), ...listAreas().map(({ area, page: name }) => entry(name, area))].join('\n')}
</ul></nav></header>
<main id="main" tabindex="-1">
${htmlOf(text)}
</main></body></html>
`
}
