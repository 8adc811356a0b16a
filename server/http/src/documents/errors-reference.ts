import { ERRORS } from '@ordbook/contract/errors.ts'
import { codesOf, REASONS } from './openapi.ts'

export const statusAnchor = (status: number): string => `status-${status}`

/** Returns Markdown lines with a section per status and an anchor per error code. */
export function describeErrors(): string[] {
  return Object.entries(REASONS).flatMap(([key, reason]) => {
    const status = Number(key)
    const codes = codesOf(status)
    if (codes.length === 0) return []
    const isRetryable =
      codes.length > 1 && codes.filter((code) => ERRORS[code].retryable).length * 2 > codes.length
    return [
      `<a id="${statusAnchor(status)}"></a>`,
      `## ${status}`,
      '',
      ...(codes.length > 1 ? [`${reason}${isRetryable ? ' Retryable.' : ''}`, ''] : []),
      ...codes.map((code) => {
        const { retryable, about, mend } = ERRORS[code]
        const exception = retryable === isRetryable ? '' : retryable ? ' (retryable)' : ' (not retryable)'
        return `- <a id="${code}"></a>[\`${code}\`](#${code})${exception}: ${about} ${mend}`
      }),
      '',
    ]
  })
}
