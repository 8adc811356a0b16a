const STYLE =
  'body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}table{border-collapse:collapse}th,td{border:1px solid #ccc;padding:.25rem .5rem;text-align:left;vertical-align:top}pre{overflow-x:auto;background:#f4f4f4;padding:.5rem}:target{background:#ffe9a8}'

/** The content security policy of a reference page: it has text and styles alone. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/**
 * A reference page as an HTML document. Takes the part of Markdown that those pages use: headings, paragraphs, tables, fenced
 * code, bold text, inline code and links. The id of a heading is its text in lower case with hyphens.
 */
export function htmlOf(markdown: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Reference'
  const parts = markdown.split(/^```\w*\n([\s\S]*?)^```$/m)
  const body = parts.map((part, i) =>
    i % 2 === 1
      ? `<pre><code>${escapeHtml(part)}</code></pre>`
      : part
          .split(/\n{2,}/)
          .map(blockOf)
          .join('\n'),
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>
${body.join('\n')}
</body></html>
`
}

/** A heading, a table or a paragraph. */
function blockOf(block: string): string {
  const text = block.trim()
  const heading = /^(#{1,6}) (.+)$/.exec(text)
  if (heading) {
    const level = heading[1]!.length
    return `<h${level} id="${idOf(heading[2]!)}">${inlineOf(heading[2]!)}</h${level}>`
  }
  if (text.startsWith('|')) return tableOf(text.split('\n'))
  return text && `<p>${inlineOf(text)}</p>`
}

function tableOf([head, , ...rows]: string[]): string {
  const row = (line: string, tag: string) =>
    `<tr>${line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => `<${tag}>${inlineOf(cell.trim().replaceAll('\\|', '|'))}</${tag}>`)
      .join('')}</tr>`
  return `<table>${row(head!, 'th')}${rows.map((line) => row(line, 'td')).join('')}</table>`
}

/** Inline code is taken first: nothing in it is markup. */
function inlineOf(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`') && part.length > 1
        ? `<code>${escapeHtml(part.slice(1, -1))}</code>`
        : escapeHtml(part),
    )
    .join('')
    .replace(/\[((?:[^\][]|\[[^\]]*\])+)\]\(([^()\s]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
}

const idOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-')

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
