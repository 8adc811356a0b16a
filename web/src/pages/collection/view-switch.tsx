import { afterPaint } from '@ordbook/web-ui/state/after-paint.ts'
import { views as words } from '@ordbook/web-ui/strings/collection.ts'
import { DenseIcon, ExploreIcon, RowsIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { ITEM_VIEWS, type ItemView } from '../items/item-view.ts'

const ICONS = { cards: ExploreIcon, dense: DenseIcon, list: RowsIcon }

/** Layout choice. Radio buttons are a single Tab stop. */
export function ViewSwitch({ view, choose }: { view: ItemView; choose: (next: ItemView) => void }) {
  return (
    <fieldset className="panel flex !rounded-button p-0.5">
      <legend className="sr-only">{words.title}</legend>
      {ITEM_VIEWS.map((each) => {
        const Icon = ICONS[each]
        return (
          <label key={each} title={words[each]} className="relative grid size-9 place-items-center">
            <input
              type="radio"
              name="view"
              checked={view === each}
              aria-label={words[each]}
              onChange={() => afterPaint(() => choose(each))}
              className="absolute inset-0 size-full cursor-pointer appearance-none rounded-control checked:bg-raised"
            />
            <Icon className={`pointer-events-none relative ${view === each ? 'text-ink' : 'text-soft'}`} />
          </label>
        )
      })}
    </fieldset>
  )
}
