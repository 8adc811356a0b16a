import type { Variable } from '@ordbook/process/variables.ts'

/** A PostgreSQL URL, with one host or several of which one is the primary. */
export const database = (about: string): Variable<string | null> => ({
  read: (found) => (urlsOfHosts(found) ? found : undefined),
  expected: 'a URL that begins with postgres:// or postgresql://',
  fallback: null,
  about,
})

/**
 * Splits a URL with several hosts into one URL per host: `postgres://user@a,b:5433/name` has hosts `a` and `b:5433`. Undefined if it is not
 * a PostgreSQL URL.
 */
export function urlsOfHosts(text: string): string[] | undefined {
  const [, scheme, authority = '', rest = ''] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(text) ?? []
  const [, user = '', hosts = ''] = /^(.*@)?(.*)$/s.exec(authority)!
  const urls = hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`)
  const isWhole = hosts.split(',').length === 1 || hosts.split(',').every((host) => host !== '')
  return scheme && isWhole && urls.every((url) => URL.canParse(url)) ? urls : undefined
}
