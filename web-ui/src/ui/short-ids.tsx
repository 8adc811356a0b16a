import { shortId } from '../format/format.ts'

/** An id of a transaction or an inscription within a sentence. */
const ID = /([0-9a-f]{64}(?:i\d+)?)/

/** A sentence with its ids cut in the middle; a title holds each in whole. */
export function ShortIds({ text }: { text: string }) {
  return text.split(ID).map((part, at) =>
    ID.test(part) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never change places
      <abbr key={at} title={part} className="font-mono no-underline">
        {shortId(part)}
      </abbr>
    ) : (
      part
    ),
  )
}
