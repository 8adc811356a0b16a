import { shortId } from '../format/format.ts'

const ID = /([0-9a-f]{64}(?:i\d+)?)/

/** Text with shortened ids, shown in full in the tooltip. */
export function ShortIds({ text }: { text: string }) {
  return text.split(ID).map((part, at) =>
    ID.test(part) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the order of the parts never changes
      <abbr key={at} title={part} className="font-mono no-underline">
        {shortId(part)}
      </abbr>
    ) : (
      part
    ),
  )
}
