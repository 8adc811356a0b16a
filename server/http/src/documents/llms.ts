import { dateOf, listAreas } from './reference.ts'

/** Returns llms.txt, an index of pages and operations for agents. */
export function llmsText(publicUrl: string): string {
  const lines = [
    '# ordbook',
    '',
    '> A Bitcoin ordinals marketplace that anyone can run. Wallets sign in with BIP-322 and trade with PSBTs. The',
    '> market never has custody.',
    '',
    `Base address: ${publicUrl}/api/v1`,
    `OpenAPI 3.1: ${publicUrl}/openapi.json`,
    `OpenAPI 3.1 without token (content, recursion, record, events, documents): ${publicUrl}/openapi-public.json`,
    '',
    '## Conventions',
    '- JSON in and out. Operations below /api/v1 require `Authorization: Bearer <sessionToken>`, except the two auth operations. Paths at the root are public, except /metrics. Operations below /web/v1 accept only the cookie of a storefront session, and require `Origin` if they are POST; the pages say which require a session.',
    '- Errors are `{"error", "code", "retryable", "docsUrl"}`; branch on status and code, not on the text. The Retry-After header of a 429 is in seconds.',
    '- Sats are integers, BTC amounts (`price`, `lastSale`) are numbers, times are ISO 8601 in UTC.',
    '- Cursors are opaque: send `nextCursor` unchanged, with the same sort and filters.',
    '- To trade, call preflight, sign every listed input with its sigHash, then submit with the same fields and the returned handles.',
    `- Verify every PSBT before you sign it (${publicUrl}/docs/signing.md); the SDK does.`,
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
