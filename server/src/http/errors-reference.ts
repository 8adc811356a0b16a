import { ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'
import { codesOf, REASONS } from './openapi.ts'

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
