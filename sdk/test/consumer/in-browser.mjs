import { trade } from './trade.js'

globalThis.trade = trade
