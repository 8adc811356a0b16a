import { ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'
import { REASONS } from './openapi.ts'

/** Codes of a status, in the order of the table. */
export const codesOf = (status: number): ErrorCode[] =>
  (Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code].status === status)

/** The table of errors as Markdown: the statuses, then an entry for each code, whose heading is its anchor. */
export function describeErrors(): string[] {
  return [
    '## Statuses',
    '',
    '| Status | When | Codes |',
    '| --- | --- | --- |',
    ...Object.entries(REASONS).map(
      ([status, reason]) =>
        `| ${status} | ${reason} | ${codesOf(Number(status))
          .map((code) => `[\`${code}\`](#${code})`)
          .join(', ')} |`,
    ),
    '',
    '## Codes',
    '',
    ...(Object.keys(ERRORS) as ErrorCode[]).flatMap((code) => {
      const { status, retryable, about, mend } = ERRORS[code]
      return [
        `### ${code}`,
        '',
        `Status ${status}, ${retryable ? 'retryable' : 'not retryable'}. ${about} ${mend}`,
        '',
      ]
    }),
  ]
}
