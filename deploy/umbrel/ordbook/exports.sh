export APP_ORDBOOK_POSTGRES_PASSWORD="$(derive_entropy "${app_entropy_identifier}-postgres-password")"

# The market's names for the chain of the Bitcoin Node app. A chain that it does not know stays as it is, and the server refuses it by name.
export APP_ORDBOOK_CHAIN="${APP_BITCOIN_NETWORK:-mainnet}"
case "${APP_ORDBOOK_CHAIN}" in
	"mainnet")
		APP_ORDBOOK_CHAIN="main";;
	"testnet")
		APP_ORDBOOK_CHAIN="test";;
esac
