import { existsSync, readFileSync } from 'node:fs'

/** Preloaded into a client. Changes requests and responses as specified in `lies.json` in the working directory. */
export interface LyingFetch {
  at: string
  /** Replacements in the request's URL and body. */
  asked?: [from: string, to: string][]
  told?: [from: string, to: string][]
}

const changed = (text: string, changes: LyingFetch['told'] = []) =>
  changes.reduce((now, [from, to]) => now.replaceAll(from, to), text)

const originalFetch = globalThis.fetch
globalThis.fetch = async (input, init) => {
  const url = String(input instanceof Request ? input.url : input)
  const lies: LyingFetch[] = existsSync('lies.json') ? JSON.parse(readFileSync('lies.json', 'utf8')) : []
  const lie = lies.find(({ at }) => url.includes(at))
  if (!lie) return originalFetch(input, init)
  const body = typeof init?.body === 'string' ? { body: changed(init.body, lie.asked) } : {}
  const answer = await originalFetch(changed(url, lie.asked), { ...init, ...body })
  const { status, headers } = answer
  return new Response(changed(await answer.text(), lie.told), { status, headers })
}
