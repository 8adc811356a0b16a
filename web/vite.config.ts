import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { firstViews } from './first-views.ts'
import { loadOrder } from './load-order.ts'
import { pageFiles } from './page-files.ts'
import { precompress } from './precompress.ts'

const PARTS =
  /web-ui.src.(ui.(?!bill|guard|timeline)|ticket.cheapest|money|format.names|state.(use-(media|rendered)|watchlist))|web.src.pages.(parts.(collection-picture|connect-first|feed-link|grid|links|missing|not-now|status-strip|turn-line|use-collections|use-seen|watch-star)|items.(item-card|item-grid|item-picture|last-list)|charts.sparkline)|bitcoin.src.(errors|sats)/
const ACTIVITY = /web.src.pages.activity.(activity-(filters|list|row)|use-held-rows|strings)/
const BOOK = /web.src.pages.bids.(order-book.tsx|book-)/
const PORTFOLIO = /web.src.pages.holdings.holdings|web-ui.src.strings.portfolio/
const TRADE =
  /web.src.pages.trade.(boards.(board|trade-board|use-board-items)|proposal-card|trade-(picks|turn))\.|web-ui.src.review.step-bar/
const SELLING =
  /web.src.pages.forms.(list-form|list-price|sale-ticket)|web-ui.src.ticket.quotes.listing-quotes/
const TICKETS =
  /web.src.pages.parts.ticket-subject|web-ui.src.(rules.guards|ticket.((fields|progress|quotes).)?(?!cheapest|listing-quotes|swap-bill|amount-field|fields|quick-choices|options|quotes)|strings.(trade|sale)|ui.(bill|guard))/
const OFFERING =
  /web-ui.src.ticket.(fields.(amount-field|fields|quick-choices|options)|quotes.quotes)|web.src.pages.forms.offer-form/

export default defineConfig({
  plugins: [tailwindcss(), loadOrder(), pageFiles(), firstViews(), precompress()],
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    // Ship the licenses of bundled libraries.
    license: { fileName: 'licenses.json' },
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A page loads at most six files initially.
          groups: [
            { name: 'main', tags: ['$initial'] },
            { name: 'parts', test: PARTS, minShareCount: 2 },
            { name: 'tickets', test: TICKETS, minShareCount: 2 },
            { name: 'trade', test: TRADE, minShareCount: 2 },
            { name: 'activity', test: ACTIVITY, minShareCount: 2 },
            { name: 'book', test: BOOK },
            { name: 'portfolio', test: PORTFOLIO, minShareCount: 2 },
            { name: 'offering', test: OFFERING, minShareCount: 2 },
            { name: 'selling', test: SELLING, minShareCount: 2 },
          ],
        },
      },
      // All code here is client code, so the warnings are noise.
      onLog(level, log, otherwise) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') otherwise(level, log)
      },
    },
  },
  // For development: `npm start`, then `npx vite web`.
  server: {
    proxy: Object.fromEntries(
      ['/api', '/web', '/content', '/events', '/r/', '/status', '/keys'].map((path) => [
        path,
        'http://127.0.0.1:4000',
      ]),
    ),
  },
})
