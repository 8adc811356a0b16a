import type { Variable } from '@ordbook/process/variables.ts'

/** PostgreSQL, on one host or on several of which one is the primary. */
export const database = (about: string): Variable<string | null> => ({
  read: (found) => (urlsOfHosts(found) ? found : undefined),
  expected: 'a URL that begins with postgres:// or postgresql://',
  fallback: null,
  about,
})

/**
 * The URLs of a database on several hosts, one for each: `postgres://user@a,b:5433/name` is on `a` and on `b`. Undefined where the
 * text is no URL of PostgreSQL.
 */
export function urlsOfHosts(text: string): string[] | undefined {
  const [, scheme, authority = '', rest = ''] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(text) ?? []
  const [, user = '', hosts = ''] = /^(.*@)?(.*)$/s.exec(authority)!
  const urls = hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`)
  const isWhole = hosts.split(',').length === 1 || hosts.split(',').every((host) => host !== '')
  return scheme && isWhole && urls.every((url) => URL.canParse(url)) ? urls : undefined
}
