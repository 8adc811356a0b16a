import { buildStorefront } from './build-storefront.ts'

/** `npm install` builds the pages, so that the first start of a market need not. */
await buildStorefront()
