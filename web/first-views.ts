import { collection } from '@ordbook/web-ui/strings/collection.ts'
import { home } from '@ordbook/web-ui/strings/home.ts'
import { frame } from '@ordbook/web-ui/strings/pages.ts'
import type { Plugin } from 'vite'

/** HTML to show while the page loads. The server replaces `{{name}}` placeholders. */
interface FirstView {
  html: string
  /** Markup of one image by list placeholder. */
  pictures: Readonly<Record<string, string>>
}

const PLACE = 'pulse rounded-picture bg-raised'

const picture = (fit: string) =>
  `<img src="{{url}}" alt="" decoding="async" loading="{{loading}}" fetchpriority="{{priority}}" class="size-full ${fit} {{rendering}}">`
const WHOLE = picture('object-contain')
const COVER = picture('object-cover')

const homeView = (hasMovers: boolean): FirstView => ({
  html: `<div class="grid grid-cols-[minmax(0,1fr)] gap-6">
<header><h1 class="text-h1">${home.headline}</h1><p class="mt-1 text-soft">${home.under}</p></header>
<div class="grid grid-cols-[minmax(0,1fr)] gap-4 ${hasMovers ? 'lg:grid-cols-[minmax(0,1fr)_404px]' : ''}">
<div class="relative block h-59 overflow-hidden rounded-picture bg-raised lg:h-84"><span class="absolute inset-0 flex [&>:nth-child(n+3)]:hidden sm:[&>:nth-child(n+3)]:block">{{pictures}}</span></div>
${hasMovers ? `<div class="${PLACE} h-59 lg:h-84"></div>` : ''}
</div>
<div class="${PLACE} h-15"></div>
</div>`,
  pictures: { pictures: `<span class="h-full w-1/2 shrink-0 sm:w-1/4">${COVER}</span>` },
})

const newMarketView: FirstView = {
  html: `<div class="grid grid-cols-[minmax(0,1fr)] gap-6">
<header class="panel grid grid-cols-[minmax(0,1fr)] overflow-hidden lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
<div class="grid h-32 grid-cols-5 overflow-hidden bg-raised sm:h-48 lg:col-start-2 lg:row-start-1 lg:h-84 lg:grid-rows-2 [&>:nth-child(n+6)]:hidden lg:[&>:nth-child(n+6)]:block">{{pictures}}</div>
<div class="grid content-start gap-3 p-5 lg:px-8 lg:pt-16"><p><span class="invisible inline-flex py-0.5 text-badge">${home.newMarket}</span></p>
<h1 class="text-h1">${home.headline}</h1><p class="min-h-18 text-soft sm:min-h-12">${home.terms('{{sellerFee}}', '{{buyerFee}}')}</p>
<div class="h-12"></div></div></header>
<div class="${PLACE} h-60"></div>
</div>`,
  pictures: { pictures: `<div class="min-h-0 overflow-hidden">${COVER}</div>` },
}

/** A fact without a value takes no space. */
const fact = (label: string, name: string, isOnPhone = false) =>
  `<div class="has-[dt+dd:empty]:hidden ${isOnPhone ? '' : 'max-sm:hidden'}"><dt class="text-caption text-soft">${label}</dt><dd class="tabular invisible font-semibold">{{${name}}}</dd><dd dir="auto" class="tabular invisible min-h-4 max-w-32 truncate text-caption">{{${name}Note}}</dd></div>`

const collectionView: FirstView = {
  html: `<div class="grid grid-cols-[minmax(0,1fr)] gap-5">
<header><div class="hidden h-32 overflow-hidden rounded-panel bg-raised [mask-image:linear-gradient(black_45%,transparent)] lg:flex">{{banner}}</div>
<div class="grid grid-cols-[auto_minmax(0,1fr)] lg:relative lg:-mt-5 lg:grid-cols-[auto_minmax(0,1fr)_auto] lg:px-4">{{mark}}<div class="col-start-2 min-w-0">
<div class="flex items-start gap-1"><h1 dir="auto" class="min-w-0 text-h1 [overflow-wrap:anywhere]">{{name}}</h1><span class="size-9 shrink-0"></span></div>
<p class="invisible mt-0.5 min-h-6 empty:hidden">{{marks}}</p>
<p dir="auto" class="mt-0.5 line-clamp-2 max-w-prose text-soft [overflow-wrap:anywhere] empty:hidden sm:line-clamp-none">{{description}}</p></div>
<dl class="mt-3 flex flex-wrap gap-x-6 gap-y-2 max-sm:col-span-2 max-sm:justify-between max-sm:gap-x-3 sm:col-start-2 lg:col-start-3 lg:row-start-1 lg:mt-1 lg:ml-8 lg:max-w-[56vw] lg:justify-end">${[
    fact(collection.floor, 'floor', true),
    fact(collection.topOffer, 'topOffer', true),
    fact(collection.traitBid, 'traitBid'),
    fact(collection.lastSale, 'lastSale'),
    fact(collection.volume, 'volume', true),
    fact(collection.listed, 'listed', true),
    fact(collection.owners, 'owners'),
  ].join('')}</dl>
</div></header>
<div class="h-[45px] border-b border-line"></div>
<div class="grid grid-cols-[minmax(0,1fr)] gap-6 lg:grid-cols-[240px_minmax(0,1fr)_300px]">
<div class="${PLACE} hidden lg:block"></div>
<div class="grid grid-cols-[minmax(0,1fr)] content-start gap-3">
<div class="h-[97px] md:h-[50px]"><div class="pulse h-10 max-w-md rounded-control bg-raised"></div></div><div class="pulse h-[18px] w-24 rounded-control bg-raised"></div>
<ul class="grid grid-cols-[repeat(auto-fill,minmax(min(9.25rem,45%),1fr))] gap-2.5 sm:gap-3">{{pictures}}</ul>
</div>
<div class="${PLACE} hidden lg:block"></div>
</div></div>`,
  pictures: {
    banner: `<span class="h-full w-1/8 shrink-0">${COVER}</span>`,
    mark: `<span class="mr-4 w-14 self-start overflow-hidden rounded-panel max-sm:mr-3 max-sm:w-11 sm:row-span-2 sm:w-24 lg:-mt-7 lg:ring-4 lg:ring-bg"><span class="block aspect-square bg-raised">${WHOLE}</span></span>`,
    pictures: `<li class="panel min-w-0 overflow-hidden !rounded-card"><div class="relative aspect-square w-full overflow-hidden bg-raised">${WHOLE}</div><div class="h-[109px]"></div></li>`,
  },
}

const inscriptionView: FirstView = {
  html: `<div class="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
<div class="invisible h-8 truncate empty:hidden">{{collection}}</div>
<div class="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-6 sm:grid-cols-[minmax(0,11fr)_minmax(0,9fr)] sm:grid-rows-[auto_1fr] lg:grid-cols-[minmax(0,1fr)_476px]">
<div class="min-w-0 self-start overflow-hidden rounded-picture bg-raised lg:max-h-[min(660px,calc(100dvh-var(--bar-height)-48px))] lg:[&>*]:h-[min(660px,calc(100dvh-var(--bar-height)-48px))] lg:[&>*]:aspect-auto"><div class="relative aspect-square w-full overflow-hidden bg-raised">{{pictures}}</div></div>
<div class="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-5">
<header><div dir="auto" class="truncate font-[560] text-accent">{{collection}}</div><h1 dir="auto" class="text-h1">{{name}}</h1></header>
<div class="${PLACE} h-60"></div>
</div></div></div>`,
  pictures: { pictures: WHOLE },
}

const walletView: FirstView = {
  html: `<div class="grid gap-5"><h1 class="text-h1">${frame.portfolio}</h1><div class="${PLACE} h-60"></div></div>`,
  pictures: {},
}

/** Views by name. Tests compare their layout with the real pages. */
const VIEWS: Readonly<Record<string, FirstView>> = {
  home: homeView(false),
  'home-with-movers': homeView(true),
  'new-market': newMarketView,
  collection: collectionView,
  inscription: inscriptionView,
  wallet: walletView,
}

/** Writes the first views to `views.json` for the server. */
export function firstViews(): Plugin {
  return {
    name: 'first-views',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'views.json', source: JSON.stringify(VIEWS) })
    },
  }
}
