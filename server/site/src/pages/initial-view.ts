import { inMarkup } from '@ordbook/http/documents/markup.ts'

/** An image at the URL that the page uses. */
export interface FirstPicture {
  url: string
  isPixelated: boolean
}

/** Content of a document before scripts run. */
export interface FirstContent {
  view: string
  /** Texts by placeholder. Others are empty. */
  texts: Readonly<Record<string, string>>
  pictures: Readonly<Record<string, readonly FirstPicture[]>>
}

/** The markup of a view with placeholders in double braces, written by the build. */
export interface FirstView {
  html: string
  /** Markup of one image, by placeholder. */
  pictures: Readonly<Record<string, string>>
}

/** Images per placeholder that load eagerly. */
const WANTED_FIRST = 2

/** Fills a view. Escapes texts and URLs, which are untrusted. */
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
