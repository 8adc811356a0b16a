import { trade } from './trade.js'

console.log(JSON.stringify(await trade(JSON.parse(process.argv[2]))))
