export APP_ORDBOOK_POSTGRES_PASSWORD="$(derive_entropy "${app_entropy_identifier}-postgres-password")"

# Maps the chain of the Bitcoin Node app to the market's name for it. The server rejects an unknown chain with a message.
export APP_ORDBOOK_CHAIN="${APP_BITCOIN_NETWORK:-mainnet}"
case "${APP_ORDBOOK_CHAIN}" in
	"mainnet")
		APP_ORDBOOK_CHAIN="main";;
	"testnet")
		APP_ORDBOOK_CHAIN="test";;
esac
