import { dateOf, listAreas } from './reference.ts'

/** Returns llms.txt, a plain-text index for agents: purpose, conventions, and a line per page and operation. */
export function llmsText(publicUrl: string): string {
  const lines = [
    '# ordbook',
    '',
    '> A Bitcoin ordinals marketplace that anyone can run. Wallets sign in by BIP-322 and trade by PSBT; the market',
    '> never has custody.',
    '',
    `Base address: ${publicUrl}/api/v1`,
    `OpenAPI 3.1: ${publicUrl}/api/v1/openapi.json`,
    `OpenAPI 3.1 without token (content, recursion, record, events, documents): ${publicUrl}/openapi-public.json`,
    '',
    '## Conventions',
    '- JSON in and out; send `Authorization: Bearer <sessionToken>` on everything but the two auth operations.',
    '- Errors are `{"error", "code", "retryable", "docsUrl"}`; branch on status and code, not on the text. Retry-After of a 429 is the wait in seconds.',
    '- Sats are integers, BTC amounts are numbers, times are ISO 8601 in UTC.',
    '- Cursors are opaque: send `nextCursor` unchanged, with the same sort and filters.',
    '- Trading writes are preflight, sign every listed input, submit with the same fields and the returned handles.',
    '- Verify every PSBT before you sign it; the SDK does.',
    '',
  ]
  for (const { area, page, summary, entries } of listAreas())
    lines.push(
      `## ${area}`,
      `- [${area}](${publicUrl}/docs/${page}.md): ${summary} Updated ${dateOf(page)}.`,
      ...entries.map(
        ({ operation, path }) =>
          `- ${operation.method} ${publicUrl}${path} (${operation.id}): ${operation.summary}`,
      ),
      '',
    )
  return lines.join('\n')
}
