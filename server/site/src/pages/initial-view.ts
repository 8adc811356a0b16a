import { inMarkup } from '@ordbook/http/documents/markup.ts'

/** A picture of a first view, at the address at which the page shows it too. */
export interface FirstPicture {
  url: string
  isPixelated: boolean
}

/** The content of a document before any code has run. */
export interface FirstContent {
  /** The name of the view. */
  view: string
  /** By their places. A place without a text is empty. */
  texts: Readonly<Record<string, string>>
  pictures: Readonly<Record<string, readonly FirstPicture[]>>
}

/** The markup of a view with places in double braces, as the build wrote it. */
export interface FirstView {
  html: string
  /** Markup of each picture, by its place. */
  pictures: Readonly<Record<string, string>>
}

/** So many pictures at each place are wanted before anything else. */
const WANTED_FIRST = 2

/** The markup of a view with its content. Texts come from strangers: they are escaped. */
export function fillView({ html, pictures: each }: FirstView, { texts, pictures }: FirstContent): string {
  return filled(html, (place) => {
    const markup = each[place]
    if (markup === undefined) return inMarkup(texts[place] ?? '')
    return (pictures[place] ?? []).map((picture, n) => pictureOf(markup, picture, n < WANTED_FIRST)).join('')
  })
}

function pictureOf(markup: string, { url, isPixelated }: FirstPicture, isFirst: boolean): string {
  const values: Readonly<Record<string, string>> = {
    url,
    loading: isFirst ? 'eager' : 'lazy',
    priority: isFirst ? 'high' : 'auto',
    rendering: isPixelated ? 'pixelated' : '',
  }
  return filled(markup, (place) => inMarkup(values[place] ?? ''))
}

const filled = (markup: string, valueAt: (place: string) => string): string =>
  markup.replace(/\{\{(\w+)\}\}/g, (_, place: string) => valueAt(place))
