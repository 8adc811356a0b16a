import { type ReactNode, useState } from 'react'
import { Badge, Button, Empty, Failed, Field, INPUT, Loading, Select, Tabs } from '../ui/basics.tsx'
import { Bill } from '../ui/bill.tsx'
import { Boundary } from '../ui/boundary.tsx'
import { Chip } from '../ui/chip.tsx'
import { Guard } from '../ui/guard.tsx'
import * as icons from '../ui/icons.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Timeline } from '../ui/timeline.tsx'
import { notify } from '../ui/toast-list.ts'
import { Toasts } from '../ui/toasts.tsx'

const ICONS = Object.values(icons)

const TABS = [
  { id: 'items', label: 'Items' },
  { id: 'offers', label: 'Offers' },
  { id: 'activity', label: 'Activity' },
] as const

/** Every component in every state, for the eye, for axe and for pictures. */
export function Gallery() {
  return (
    <>
      <main className="mx-auto grid max-w-[1440px] gap-4 p-4 md:grid-cols-2 md:p-6 lg:grid-cols-3">
        <h1 className="text-h1 md:col-span-2 lg:col-span-3">Components and states</h1>
        <Buttons />
        <Marks />
        <Type />
        <Guards />
        <Timelines />
        <Bills />
        <Fields />
        <Part title="Messages">
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => notify({ kind: 'good', title: 'Keeper #2207 is yours.' })}>Good</Button>
            <Button onClick={() => notify({ kind: 'note', title: 'You were outbid.', text: 'Now 0.0531.' })}>
              Note
            </Button>
            <Button
              onClick={() =>
                notify({
                  kind: 'bad',
                  title: 'Could not reach the market.',
                  text: 'f'.repeat(64),
                  links: [{ label: 'Market status', href: '/market' }],
                  subject: 'one',
                })
              }
            >
              Bad
            </Button>
          </div>
        </Part>
        <Sheets />
        <Icons />
        <Part title="Loading">
          <Loading />
          <div className="grid grid-cols-2 gap-3">
            <Skeleton card />
            <Skeleton rows={3} />
          </div>
        </Part>
        <Part title="Empty">
          <Empty title="Nothing matches these filters">Removing Dawnport shows 170 items.</Empty>
        </Part>
        <Part title="Failed">
          <Failed error={new Error('The market did not answer.')} again={() => {}} />
          <Boundary label="The chart">
            <Throws />
          </Boundary>
        </Part>
      </main>
      <Toasts />
    </>
  )
}

function Timelines() {
  return (
    <Part title="Signing timeline">
      <Timeline
        steps={[
          { label: 'Check the listing', state: 'done', at: '10:02' },
          { label: 'Sign in Xverse', state: 'done', detail: '1 of 1 signatures' },
          { label: 'Send', state: 'done' },
          { label: 'In the mempool', state: 'now', detail: 'About 10 minutes' },
          { label: 'Confirmed', state: 'waiting' },
        ]}
      />
      <Timeline
        steps={[
          { label: 'Check the offer', state: 'done' },
          {
            label: 'Sign in Leather',
            state: 'failed',
            detail: 'Cancelled. Nothing was signed.',
            action: <Button className="justify-self-start">Try again</Button>,
          },
        ]}
      />
    </Part>
  )
}

function Bills() {
  return (
    <Part title="Bill">
      <Bill
        unit="btc"
        rows={[
          { label: 'Price', sats: 1_840_000 },
          { label: 'Buyer fee, 1%', sats: 18_400 },
          { label: 'Postage', sats: 10_000, note: 'Comes with the item, stays yours' },
          { label: 'Network fee, 12 sat/vB', sats: 4944 },
          { label: 'You pay', sats: 1_873_344, strong: true },
        ]}
      />
      <Bill
        unit="sats"
        rows={[
          { label: 'Price', sats: 84_200 },
          { label: 'Creator royalty 5%', sats: -4210 },
          { label: 'You receive', sats: 79_990, strong: true },
        ]}
      />
    </Part>
  )
}

function Icons() {
  return (
    <Part title="Icons">
      <p className="flex flex-wrap gap-3 text-xl">
        {ICONS.map((Icon) => (
          <Icon key={Icon.name} />
        ))}
      </p>
    </Part>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="panel grid min-w-0 content-start gap-3 p-4">
      <h2 className="text-h3">{title}</h2>
      {children}
    </section>
  )
}

function Buttons() {
  return (
    <Part title="Buttons">
      <div className="flex flex-wrap gap-2">
        <Button kind="main">Buy now</Button>
        <Button>Make offer</Button>
        <Button kind="sell">Sell now 0.00405</Button>
        <Button kind="ghost">Cancel</Button>
        <Button kind="danger">Delist</Button>
        <Button kind="main" busy>
          Buy now
        </Button>
        <Button disabled>Make offer</Button>
        <Button kind="main" reason="Not enough BTC">
          Buy now
        </Button>
      </div>
      <Button kind="main" large>
        List for 0.0184
      </Button>
    </Part>
  )
}

function Marks() {
  return (
    <Part title="Badges and chips">
      <div className="flex flex-wrap gap-2">
        <Badge tone="info">Verified</Badge>
        <Badge>Unverified</Badge>
        <Badge tone="bad">Same name as a verified one</Badge>
        <Badge tone="lamp">◆ Rank 41</Badge>
        <Badge tone="good">Guaranteed cancel</Badge>
      </div>
      <div className="flex flex-wrap gap-2">
        <Chip label="remove this filter" onRemove={() => {}}>
          Harbour: Dawnport
        </Chip>
        <Chip label="remove this filter" onRemove={() => {}}>
          {'long '.repeat(40)}
        </Chip>
      </div>
    </Part>
  )
}

function Type() {
  return (
    <Part title="Type">
      <p className="text-display">Trade ordinals</p>
      <p className="tabular text-price-xl">0.0184</p>
      <p className="text-h2">Live sales</p>
      <p className="tabular text-price">0.00420</p>
      <p>Body text in the size of pages.</p>
      <p className="text-small text-soft">Small, for bills and filters.</p>
      <p className="text-caption text-faint">Caption, for labels.</p>
      <p className="font-mono text-[0.93em]">bc1p7cq…9qk2</p>
    </Part>
  )
}

function Guards() {
  return (
    <Part title="Guards">
      <Guard level="good" title="In line with its traits." text="Similar items sold for 0.0159 to 0.0191." />
      <Guard
        level="note"
        title="Not verified by this market."
        text="Check the inscription ids before you buy."
      />
      <Guard
        level="confirm"
        title="34% under floor."
        text="The floor is 0.00420."
        action={<Button kind="ghost">Match floor</Button>}
      />
      <Guard level="stop" title="No longer for sale." text="Sold 8 seconds ago for 0.0184." />
    </Part>
  )
}

function Fields() {
  const [unit, setUnit] = useState('btc')
  const [tab, setTab] = useState<(typeof TABS)[number]['id']>('items')
  return (
    <Part title="Fields and tabs">
      <Field label="Your offer in BTC" hint="1,600,000 sats">
        <input defaultValue="0.016" inputMode="decimal" className={INPUT} />
      </Field>
      <Field label="With a placeholder">
        <input placeholder="Collections, items" className={INPUT} />
      </Field>
      <Field label="Unit">
        <Select
          options={[
            ['btc', 'BTC'],
            ['sats', 'sats'],
          ]}
          value={unit}
          onChange={setUnit}
        />
      </Field>
      <Tabs label="Parts" tabs={TABS} value={tab} onChange={setTab} />
    </Part>
  )
}

function Sheets() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Part title="Sheet">
      <Button onClick={() => setOpen(true)}>Open the sheet</Button>
      <Sheet
        open={isOpen}
        title="Offer for Keeper #2207"
        onClose={() => setOpen(false)}
        footer={
          <Button kind="main" large className="w-full" onClick={() => setOpen(false)}>
            Review offer
          </Button>
        }
      >
        <p>You sign once. Nothing moves unless all of it does.</p>
      </Sheet>
    </Part>
  )
}

function Throws(): ReactNode {
  throw new Error('This part failed on purpose.')
}
