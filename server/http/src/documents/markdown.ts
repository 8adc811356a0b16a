import { inMarkup } from './markup.ts'

/**
 * Converts Markdown to HTML. Supports headings, paragraphs, flat lists, tables, fenced code, bold text, inline
 * code, links and anchors (`<a id="..."></a>`). A heading's id is the anchor above it, or its text in kebab
 * case. Wide tables and code blocks scroll and are focusable.
 */
export function htmlOf(markdown: string): string {
  return markdown
    .split(/^```\w*\n([\s\S]*?)^```$/m)
    .map((part, i) =>
      i % 2 === 1
        ? `<pre tabindex="0"><code>${inMarkup(part)}</code></pre>`
        : part
            .split(/\n{2,}/)
            .map(blockOf)
            .filter(Boolean)
            .join('\n'),
    )
    .join('\n')
}

function blockOf(block: string): string {
  const text = block.trim()
  const heading = /^(?:<a id="([\w-]+)"><\/a>\n)?(#{1,6}) (.+)$/.exec(text)
  if (heading) {
    const [, id = idOf(heading[3]!), marks, title] = heading
    const level = marks!.length
    return `<h${level} id="${id}">${inlineOf(title!)}${level > 1 ? ` <a class="here" href="#${id}" aria-label="Link to this entry">#</a>` : ''}</h${level}>`
  }
  if (text.startsWith('|')) return tableOf(text.split('\n'))
  if (text.startsWith('- ')) return listOf('ul', text.slice(2).split('\n- '))
  if (text.startsWith('1. ')) return listOf('ol', text.slice(3).split(/\n\d+\. /))
  return text && `<p>${inlineOf(text)}</p>`
}

const listOf = (tag: 'ul' | 'ol', items: string[]) =>
  `<${tag}>${items.map((item) => `<li>${inlineOf(item)}</li>`).join('')}</${tag}>`

function tableOf([head, , ...rows]: string[]): string {
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => inlineOf(cell.trim().replaceAll('\\|', '|')))
  // Screen readers would announce an empty `th`.
  const titles = cells(head!).map((title) => (title ? `<th scope="col">${title}</th>` : '<td></td>'))
  const body = rows.map(
    (line) =>
      `<tr>${cells(line)
        .map((cell) => `<td>${cell}</td>`)
        .join('')}</tr>`,
  )
  return `<div class="wide" tabindex="0"><table><thead><tr>${titles.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}

/** Extracts inline code before converting other markup. */
function inlineOf(text: string): string {
  const codes: string[] = []
  return inMarkup(
    text.replace(/`([^`]+)`/g, (_, code: string) => {
      codes.push(code)
      return '\u0000'
    }),
  )
    .replace(/&lt;a id=&quot;([\w-]+)&quot;&gt;&lt;\/a&gt;/g, '<a id="$1"></a>')
    .replace(
      /\[((?:[^\][]|\[[^\]]*\])+)\]\(([^()\s]+)\)/g,
      (_, label, target) => `<a href="${pageOf(target)}">${label}</a>`,
    )
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll('\u0000', () => `<code>${inMarkup(codes.shift()!)}</code>`)
}

/** Converts a link to a Markdown file to the link of its HTML page. */
const pageOf = (target: string) => target.replace(/^([a-z-]+)\.md(?=#|$)/, '/docs/$1')

const idOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-')
