import { inMarkup } from '@ordbook/http/documents/markup.ts'
import { type FirstContent, type FirstView, fillView } from './initial-view.ts'

export interface PageHead {
  title: string
  /** Null: the shell's description. */
  description: string | null
  url: string
  picture: string
  /** Whether the image is 1200 by 630 pixels, the size of a large link preview. */
  isWide: boolean
  isPrivate: boolean
  /** Path of its Atom feed, or null. */
  feed: string | null
  /** Subject of the page as JSON-LD, or null. */
  data: object | null
}

/** Parts of a document that differ by page. */
export interface PageParts {
  head: PageHead
  /** Whether the page's subject does not exist. */
  isMissing: boolean
  /** Name of the page's script. */
  page: string
  /** First view, or null for placeholders. */
  first: FirstContent | null
  /** Id of the last live event before the data was read; null if unknown. */
  since: string | null
  /** Initial responses as JSON, by the JSON of operation id and input. */
  answers: readonly (readonly [read: string, answer: string])[]
}

/** Maximum cached documents. The cache avoids recompressing a document for every request. */
const MAX_KEPT = 100
/** Maximum characters of embedded data. The page requests the rest. */
const MAX_CHARACTERS = 150_000

/** Builds documents from the built shell, with the files and initial data of a page. */
export class PageDocument {
  private readonly head: string
  private readonly description: string
  private readonly beforeView: string
  private readonly places: string
  private readonly afterView: string
  private readonly tail: string
  private readonly preloads: ReadonlyMap<string, string>
  private readonly views: Readonly<Record<string, FirstView>>
  private readonly kept = new Map<string, Buffer>()

  /** `files` maps page names to script paths. `views` maps page names to first views. */
  constructor(
    shell: string,
    files: Readonly<Record<string, readonly string[]>>,
    views: Readonly<Record<string, FirstView>>,
  ) {
    const headEnd = shell.indexOf('</head>')
    const bodyEnd = shell.lastIndexOf('</body>')
    if (headEnd < 0 || bodyEnd < headEnd) throw new Error('The storefront document has no head or body.')
    const head = shell.slice(0, headEnd)
    const [title] = TITLE.exec(head) ?? []
    const [meta, description] = DESCRIPTION.exec(head) ?? []
    if (!title || !meta || !description)
      throw new Error('The storefront document has no title or description.')
    this.head = head.replace(title, '').replace(meta, '')
    this.description = description
    const [beforeView, places, afterView] = shell.slice(headEnd, bodyEnd).split(VIEW_MARK)
    if (beforeView === undefined || places === undefined || afterView === undefined)
      throw new Error('The storefront document has no placeholder for a first view.')
    this.beforeView = beforeView
    this.places = places
    this.afterView = afterView
    this.views = views
    this.tail = shell.slice(bodyEnd)
    this.preloads = new Map(
      Object.entries(files).map(([page, paths]) => [
        page,
        paths.map((path) => `<link data-rel="modulepreload" crossorigin href="${path}">`).join(''),
      ]),
    )
  }

  /** Returns the bytes of a document: the same buffer for the same parts. */
  of({ page, head, first, since, answers }: PageParts): Buffer {
    const tags = this.tagsOf(head)
    const preloads = this.preloads.get(page) ?? ''
    const body = `${this.bodyWith(first)}${firstAnswers(since, answers)}`
    return this.keep(`${this.head}${tags}${preloads}${body}${this.tail}`)
  }

  unknown(): Buffer {
    return this.keep(
      `${this.head}<title>Page not found</title>${this.bodyWith(null)}${firstAnswers(null, [])}${this.tail}`,
    )
  }

  private bodyWith(first: FirstContent | null): string {
    const view = first && this.views[first.view]
    return `${this.beforeView}${view ? fillView(view, first) : this.places}${this.afterView}`
  }

  private tagsOf({ title, description, url, picture, isWide, isPrivate, feed, data }: PageHead): string {
    const about = description === null ? this.description : inMarkup(description)
    const tag = (name: string, value: string) =>
      `<meta ${name.startsWith('og:') ? 'property' : 'name'}="${name}" content="${value}">`
    return [
      `<title>${inMarkup(title)}</title>`,
      tag('description', about),
      `<link rel="canonical" href="${inMarkup(url)}">`,
      tag('og:type', 'website'),
      tag('og:site_name', 'ordbook'),
      tag('og:title', inMarkup(title)),
      tag('og:description', about),
      tag('og:url', inMarkup(url)),
      tag('og:image', inMarkup(picture)),
      ...(isWide ? [tag('og:image:width', '1200'), tag('og:image:height', '630')] : []),
      tag('twitter:card', isWide ? 'summary_large_image' : 'summary'),
      ...(feed
        ? [
            `<link data-feed rel="alternate" type="application/atom+xml" title="Activity" href="${inMarkup(feed)}">`,
          ]
        : []),
      ...(isPrivate ? [tag('robots', 'noindex')] : []),
      // JSON-LD is data, so the CSP does not apply.
      ...(data ? [`<script type="application/ld+json">${inScript(JSON.stringify(data))}</script>`] : []),
    ].join('')
  }

  private keep(text: string): Buffer {
    const bytes = this.kept.get(text) ?? Buffer.from(text)
    this.kept.delete(text)
    this.kept.set(text, bytes)
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value!)
    return bytes
  }
}

/** Delimits the placeholder of the first view. */
const VIEW_MARK = /<!--\/?view-->/
const TITLE = /<title>[^<]*<\/title>/
const DESCRIPTION = /<meta name="description" content="([^"]*)"[^>]*>/

/** Embeds initial responses in a script element that is not executed. */
function firstAnswers(since: string | null, answers: PageParts['answers']): string {
  let remaining = MAX_CHARACTERS
  const fitting = answers.filter(([read, answer]) => {
    const length = read.length + answer.length
    if (length > remaining) return false
    remaining -= length
    return true
  })
  const reads = fitting.map(([read, answer]) => `[${read},${answer}]`).join(',')
  return `<script id="first" type="application/json">${inScript(`{"since":${JSON.stringify(since)},"reads":[${reads}]}`)}</script>`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** Escapes JSON for an element. These characters occur only inside strings. */
const inScript = (json: string) => json.replace(/[<\u2028\u2029]/g, (each) => ESCAPES[each]!)
