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

/** The code of a page, which the browser loads when it goes there or is about to. */
export interface PageCode {
  /** The name of the page in the browser's tab, where it does not depend on what the page shows. */
  title?: string
  load: () => Promise<unknown>
  /** Code that is there, else one that waits for it. */
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

/** Draws a page, at once where its code is there. */
export function PageOf({ code }: { code: PageCode }) {
  // One for as long as the page is shown, so that its state stays.
  const Shown = useMemo(() => code.component(), [code])
  return <Shown />
}

export type PageCodes = Readonly<Record<Place, PageCode>>

/** Links follow the path alone, so that a change of filters renders none of them again. */
interface At {
  pathname: string
  pages: PageCodes
}
interface Here {
  /** The path with its search parameters. */
  href: string
  /** Null: there is no such page. */
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

/** Follows the browser's history. The page before stays until the code of the next has arrived. */
export function Routing({ pages, children }: { pages: PageCodes; children: ReactNode }) {
  const [step, show] = useState<Step>(currentStep.get)
  const { pathname, query } = step
  useEffect(
    () =>
      currentStep.subscribe(() => {
        const next = currentStep.get()
        // Within a page a press shows at once; another page may have to wait for its code.
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
    // A part of the search that a step leaves alone stays the same object, so that no filter of it is rendered again.
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

/** The path of the page that is shown now. */
export const usePath = (): string => useAt().pathname

/** The address of the page that is shown now, and its code; null where there is no such page. */
export function usePage(): { href: string; code: PageCode | null } {
  const { href, place } = useHere()
  const { pages } = useAt()
  return { href, code: place && pages[place] }
}

/** The values in the path of the page `from`. */
export function useParams<P extends Place>({ from }: { from: P }): ParamsOf<P> {
  const { place, params } = useHere()
  if (place !== from) throw new Error(`not the page ${from}`)
  return params as ParamsOf<P>
}

/** The search parameters of the page `from`. */
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

/** Goes to a page. */
export const goTo = <P extends Place>({ to, params, search }: Target<P>): void =>
  go(hrefOf(to, params, search))

interface Manner {
  /** Whether it takes the place of the present step, so that Back leads past it. */
  replace?: boolean
}

/** Changes the search parameters of the page `from`, which stays where it is scrolled to. */
export function useSetSearch<P extends Place>({ from }: { from: P }) {
  return useCallback(
    (next: (before: SearchOf<P>) => SearchOf<P>, { replace = false }: Manner = {}) => {
      const before = PLACES[from](searchIn(location.search)) as SearchOf<P>
      go(location.pathname + queryOf(next(before)), { replace, stay: true })
    },
    [from],
  )
}

const isPlain = (event: MouseEvent) =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey

/** Whether a path is that of the present page, or of one that stands above it. */
const isAt = (path: string, pathname: string) =>
  path === pathname || (path !== '/' && pathname.startsWith(`${path}/`))

type LinkProps<P extends Place> = Target<P> & Omit<ComponentProps<'a'>, 'href'>

/** A link to a page, which loads the page's code before it is pressed. */
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
