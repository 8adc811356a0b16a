import { frame as words } from '@ordbook/web-ui/strings/pages.ts'
import { BUTTON, KINDS } from '@ordbook/web-ui/ui/basics.tsx'
import { SearchIcon } from '@ordbook/web-ui/ui/icons.tsx'

export const loadPalette = () => import('../palette/palette.tsx')

export function SearchButton({ onOpen }: { onOpen: () => void }) {
  const prepare = () => void loadPalette().catch(() => {})
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-keyshortcuts="/ Control+K Meta+K"
      onClick={onOpen}
      onPointerEnter={prepare}
      onFocus={prepare}
      className={`${BUTTON} ${KINDS.plain} w-full text-soft`}
    >
      <SearchIcon className="shrink-0" />
      <span className="flex-1 truncate text-left">{words.searchHint}</span>
      <span className="max-md:hidden" aria-hidden="true">
        /
      </span>
    </button>
  )
}
