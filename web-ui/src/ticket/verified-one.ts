import { goTo } from '../routing/routing.tsx'

/** Leads to the verified collection whose name another one has; undefined where there is none. */
export function useVerifiedOne(slug: string | null | undefined): (() => void) | undefined {
  return slug ? () => goTo({ to: '/collection/$slug', params: { slug } }) : undefined
}
