import { shortId } from '../format/format.ts'

/** A txid or inscription id within a text. */
const ID = /([0-9a-f]{64}(?:i\d+)?)/

/** A text with shortened ids; the full id is the tooltip. */
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
