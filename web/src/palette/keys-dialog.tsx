import { KEPT, store, stored } from '@ordbook/web-ui/state/stored.ts'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { useState } from 'react'
import { keys as words } from './strings.ts'

/** List of shortcuts, which can be turned off for speech input (WCAG 2.1.4). */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(stored(KEPT.keys) !== 'off')
  const change = (on: boolean) => {
    store(KEPT.keys, on ? null : 'off')
    setOn(on)
  }
  return (
    <Sheet open title={words.title} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
        {words.list.map(([key, action]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-badge border border-line px-2 py-0.5 font-mono">{key}</kbd>
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-4 flex min-h-11 items-center gap-3">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => change(event.target.checked)}
          className="size-5 accent-amber"
        />
        {words.on}
      </label>
      <p className="text-small text-soft">{words.why}</p>
    </Sheet>
  )
}
