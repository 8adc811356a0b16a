import { inMarkup } from '@ordbook/http/documents/markup.ts'

/** An image of a first view, at the URL that the page uses too. */
export interface FirstPicture {
  url: string
  isPixelated: boolean
}

/** The content of a document before any script has run. */
export interface FirstContent {
  view: string
  /** Texts by placeholder. A placeholder without a text is empty. */
  texts: Readonly<Record<string, string>>
  pictures: Readonly<Record<string, readonly FirstPicture[]>>
}

/** The markup of a view with placeholders in double braces, written by the build. */
export interface FirstView {
  html: string
  /** Markup of one image, by placeholder. */
  pictures: Readonly<Record<string, string>>
}

/** Number of images per placeholder that load eagerly. */
const WANTED_FIRST = 2

/** Fills a view with content. Escapes texts and URLs, which are untrusted. */
export function fillView({ html, pictures: each }: FirstView, { texts, pictures }: FirstContent): string {
  return fillPlaceholders(html, (place) => {
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
  return fillPlaceholders(markup, (place) => inMarkup(values[place] ?? ''))
}

const fillPlaceholders = (markup: string, valueAt: (place: string) => string): string =>
  markup.replace(/\{\{(\w+)\}\}/g, (_, place: string) => valueAt(place))
