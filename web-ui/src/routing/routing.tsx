import { replaceEqualDeep } from '@tanstack/react-query'
import {
  type ComponentProps,
  type ComponentType,
  type Context,
  createContext,
  lazy,
  type MouseEvent,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { afterPaint } from '../state/after-paint.ts'
import { currentStep, go, type Step, scrollTo } from './history.ts'
import {
  type ParamsOf,
  PLACES,
  type Place,
  pathOf,
  placeOf,
  queryOf,
  type SearchOf,
  searchIn,
} from './places.ts'

/** Code of a page, loaded on demand. */
export interface PageCode {
  /** Title of the tab; unset if it depends on data. */
  title?: string
  load: () => Promise<unknown>
  /** Returns the component, or a lazy component until its code is loaded. */
  component: () => ComponentType
}

export function page(load: () => Promise<{ default: ComponentType }>, title?: string): PageCode {
  let loaded: ComponentType | null = null
  const loadOnce = async () => {
    const code = await load()
    loaded = code.default
    return code
  }
  const later = lazy(loadOnce)
  return { load: loadOnce, component: () => loaded ?? later, ...(title ? { title } : {}) }
}

/** Renders a page. Suspends until its code is loaded. */
export function PageOf({ code }: { code: PageCode }) {
  // Memoized, because switching from the lazy component would reset the page's state.
  const Shown = useMemo(() => code.component(), [code])
  return <Shown />
}

export type PageCodes = Readonly<Record<Place, PageCode>>

/** Separate from `Here`, so that a change of search parameters does not rerender links. */
interface At {
  pathname: string
  pages: PageCodes
}
interface Here {
  href: string
  place: Place | null
  params: Record<string, string>
  search: Record<string, unknown>
}

const AtContext = createContext<At | null>(null)
const HereContext = createContext<Here | null>(null)

function usePresent<T>(context: Context<T | null>): T {
  const value = useContext(context)
  if (!value) throw new Error('no Routing')
  return value
}
const useAt = () => usePresent(AtContext)
const useHere = () => usePresent(HereContext)

/** Follows the browser history. The previous page stays visible until the code of the next page is loaded. */
export function Routing({ pages, children }: { pages: PageCodes; children: ReactNode }) {
  const [step, show] = useState<Step>(currentStep.get)
  const { pathname, query } = step
  useEffect(
    () =>
      currentStep.subscribe(() => {
        const next = currentStep.get()
        // Another page may have to load its code first.
        if (next.pathname === pathname) show(next)
        else startTransition(() => show(next))
      }),
    [pathname],
  )
  useLayoutEffect(() => scrollTo(step), [step])
  const at = useMemo(() => ({ pathname, pages }), [pathname, pages])
  const last = useRef({})
  const here = useMemo(() => {
    const found = placeOf(pathname)
    const read: Record<string, unknown> = found ? { ...PLACES[found.place](searchIn(query)) } : {}
    // Keeps unchanged parameters identical to avoid rerenders.
    const search = replaceEqualDeep(last.current, read)
    last.current = search
    return { href: pathname + query, place: found?.place ?? null, params: found?.params ?? {}, search }
  }, [pathname, query])
  return (
    <AtContext value={at}>
      <HereContext value={here}>{children}</HereContext>
    </AtContext>
  )
}

export const usePath = (): string => useAt().pathname

/** Returns the current page. `code` is null for an unknown path. */
export function usePage(): { href: string; code: PageCode | null } {
  const { href, place } = useHere()
  const { pages } = useAt()
  return { href, code: place && pages[place] }
}

/** Returns the path parameters of the page `from`. Throws if another page is shown. */
export function useParams<P extends Place>({ from }: { from: P }): ParamsOf<P> {
  const { place, params } = useHere()
  if (place !== from) throw new Error(`not the page ${from}`)
  return params as ParamsOf<P>
}

/** Returns the search parameters of the page `from`. Throws if another page is shown. */
export function useSearch<P extends Place>({ from }: { from: P }): SearchOf<P> {
  const { place, search } = useHere()
  if (place !== from) throw new Error(`not the page ${from}`)
  return search as SearchOf<P>
}

type Target<P extends Place> = { to: P; search?: SearchOf<P> } & (P extends `${string}/$${string}`
  ? { params: ParamsOf<P> }
  : { params?: undefined })

const hrefOf = (to: Place, params: Record<string, string> | undefined, search: object | undefined): string =>
  pathOf(to, params) + queryOf(search ?? {})

export const goTo = <P extends Place>({ to, params, search }: Target<P>): void =>
  go(hrefOf(to, params, search))

interface Manner {
  replace?: boolean
}

/** Returns a function that changes the search parameters of the page `from`, after the next paint. */
export function useSetSearch<P extends Place>({ from }: { from: P }) {
  return useCallback(
    (next: (before: SearchOf<P>) => SearchOf<P>, { replace = false }: Manner = {}) => {
      const { pathname } = location
      afterPaint(() => {
        if (location.pathname !== pathname) return
        const before = PLACES[from](searchIn(location.search)) as SearchOf<P>
        go(pathname + queryOf(next(before)), { replace, stay: true })
      })
    },
    [from],
  )
}

const isPlain = (event: MouseEvent) =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey

const isAt = (path: string, pathname: string) =>
  path === pathname || (path !== '/' && pathname.startsWith(`${path}/`))

type LinkProps<P extends Place> = Target<P> & Omit<ComponentProps<'a'>, 'href'>

/** Link to a page. Preloads its code on hover or focus. */
export function Link<P extends Place>({ to, params, search, onClick, ...rest }: LinkProps<P>) {
  const { pathname, pages } = useAt()
  const href = hrefOf(to, params, search)
  const prepare = () => void pages[to].load().catch(() => {})
  return (
    <a
      {...rest}
      href={href}
      aria-current={search === undefined && isAt(href, pathname) ? 'page' : undefined}
      onPointerEnter={prepare}
      onFocus={prepare}
      onClick={(event) => {
        onClick?.(event)
        if (event.defaultPrevented || !isPlain(event)) return
        event.preventDefault()
        go(href)
      }}
    />
  )
}
