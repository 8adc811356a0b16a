import { ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'
import { codesOf, REASONS } from './openapi.ts'

/** The anchor of a status on the page of errors. */
export const statusAnchor = (status: number): string => `status-${status}`

/** The table of errors as Markdown: the statuses, then an entry for each code, whose heading is its anchor. */
export function describeErrors(): string[] {
  return [
    '## Statuses',
    '',
    '| Status | When | Codes |',
    '| --- | --- | --- |',
    ...Object.entries(REASONS).map(
      ([status, reason]) =>
        `| <a id="${statusAnchor(Number(status))}"></a>${status} | ${reason} | ${codesOf(Number(status))
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
