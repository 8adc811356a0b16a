/** The parts of a document that differ from page to page. */
export interface PageParts {
  /** The name of the page's code; null for a path without a page. */
  page: string | null
  /** The id of the last live event before its answers were read; null where it is not known. */
  since: string | null
  /** Answers of the page's first reads as JSON, each by the JSON of its id and input. */
  answers: readonly (readonly [read: string, answer: string])[]
}

/** Documents that are kept, so that each is compressed once: the front pages of a market between two events. */
const MOST_KEPT = 100
/** Most characters of answers in a document. A page asks for the rest itself. */
const MOST_CHARACTERS = 150_000

/** Makes the document of each page: the shell as it was built, with the files and the first answers of the page. */
export class PageDocument {
  private readonly head: string
  private readonly body: string
  private readonly tail: string
  private readonly preloads: ReadonlyMap<string, string>
  private readonly kept = new Map<string, Buffer>()

  /** `shell`: the document as it was built; `files`: by the name of a page the paths of its code. */
  constructor(shell: string, files: Readonly<Record<string, readonly string[]>>) {
    const headEnd = shell.indexOf('</head>')
    const bodyEnd = shell.lastIndexOf('</body>')
    if (headEnd < 0 || bodyEnd < headEnd)
      throw new Error('the document of the storefront has no head or body')
    this.head = shell.slice(0, headEnd)
    this.body = shell.slice(headEnd, bodyEnd)
    this.tail = shell.slice(bodyEnd)
    this.preloads = new Map(
      Object.entries(files).map(([page, paths]) => [
        page,
        paths.map((path) => `<link rel="modulepreload" crossorigin href="${path}">`).join(''),
      ]),
    )
  }
  /** The bytes of a document; the same buffer while its parts are the same. */
  of({ page, since, answers }: PageParts): Buffer {
    const preloads = (page !== null && this.preloads.get(page)) || ''
    const text = `${this.head}${preloads}${this.body}${firstAnswers(since, answers)}${this.tail}`
    const bytes = this.kept.get(text) ?? Buffer.from(text)
    this.kept.delete(text)
    this.kept.set(text, bytes)
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value!)
    return bytes
  }
}

/** The first answers as an element that holds data and runs nothing. */
function firstAnswers(since: string | null, answers: PageParts['answers']): string {
  let room = MOST_CHARACTERS
  const fitting = answers.filter(([read, answer]) => {
    const length = read.length + answer.length
    if (length > room) return false
    room -= length
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

/** JSON that can stand in an element of a document: these characters occur only within its strings. */
const inScript = (json: string) => json.replace(/[<\u2028\u2029]/g, (each) => ESCAPES[each]!)
