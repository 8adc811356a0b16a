import { parseInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { invalid } from '@ordbook/db/process/errors.ts'

export const PAGE = 100

/** Parses an inscription id. All parsers in this file throw `invalid`. */
export function idOf(text: string): string {
  const id = text.toLowerCase()
  if (!parseInscriptionId(id))
    throw invalid('request-invalid', `${text.slice(0, 80)} is not an inscription id.`)
  return id
}

export function hexOf(text: string, what: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw invalid('request-invalid', `${text.slice(0, 80)} is not ${what}.`)
  return text.toLowerCase()
}

export function heightOf(text: string): number {
  const height = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(height < 2 ** 31)) throw invalid('request-invalid', `${text.slice(0, 80)} is not a block height.`)
  return height
}

export function pageNumberOf(text = '0'): number {
  const page = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(page < 2 ** 31)) throw invalid('request-invalid', `${text.slice(0, 40)} is not a page number.`)
  return page
}

export function pageOf(params: Record<string, string>) {
  const page = pageNumberOf(params.page)
  return { id: idOf(params.id!), page, slice: { offset: page * PAGE, rows: PAGE + 1 } }
}
