// Calls all reads, lists and buys. The parent process has the keys. It signs, and returns the wallets' coins.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	market "trader/client"
)

type keys struct {
	Name              string `json:"name"`
	OrdinalsAddress   string `json:"ordinalsAddress"`
	PaymentAddress    string `json:"paymentAddress"`
	OrdinalsPublicKey string `json:"ordinalsPublicKey"`
	PaymentPublicKey  string `json:"paymentPublicKey"`
}

type order struct {
	Base  string   `json:"base"`
	Slug  string   `json:"slug"`
	Ids   []string `json:"ids"`
	Reads struct {
		Slug   string `json:"slug"`
		Id     string `json:"id"`
		Reader keys   `json:"reader"`
	} `json:"reads"`
	Seller keys `json:"seller"`
	Buyer  keys `json:"buyer"`
}

var (
	input  = bufio.NewReader(os.Stdin)
	output = json.NewEncoder(os.Stdout)
)

func check(err error) {
	var refused *market.GenericOpenAPIError
	if errors.As(err, &refused) {
		fmt.Fprintf(os.Stderr, "%s\n", refused.Body())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func receive(into any) {
	line, err := input.ReadBytes('\n')
	check(err)
	check(json.Unmarshal(line, into))
}

func ask(question map[string]any, into any) {
	check(output.Encode(question))
	receive(into)
}

// report sends the parsed response of a read to the parent process.
func report[T, R any](parsed T, _ R, err error) {
	check(err)
	ask(map[string]any{"ask": "read", "answer": parsed}, &struct{}{})
}

// done returns the parsed response of a call.
func done[T, R any](parsed T, _ R, err error) T {
	check(err)
	return parsed
}

type trader struct {
	keys
	client  *market.APIClient
	ctx     context.Context
	binding string
}

func signIn(base string, of keys) trader {
	configuration := market.NewConfiguration()
	configuration.Servers = market.ServerConfigurations{{URL: base}}
	client, ctx := market.NewAPIClient(configuration), context.Background()
	begun := done(client.AuthenticationAPI.CreateAuthChallenge(ctx).AuthChallengeRequest(
		*market.NewAuthChallengeRequest(of.OrdinalsAddress, of.PaymentAddress)).Execute())
	var verifications []market.Verification
	for _, each := range begun.Challenges {
		var answer struct {
			Signature string `json:"signature"`
		}
		ask(map[string]any{"ask": "message", "who": of.Name, "address": each.Address, "message": each.Message}, &answer)
		verifications = append(verifications, *market.NewVerification(each.ChallengeId, answer.Signature, each.Address))
	}
	session := done(client.AuthenticationAPI.VerifyAuthChallenge(ctx).AuthVerifyRequest(
		*market.NewAuthVerifyRequest(begun.AuthRequestId, verifications)).Execute())
	ctx = context.WithValue(ctx, market.ContextAccessToken, session.SessionToken)
	return trader{keys: of, client: client, ctx: ctx, binding: session.WalletBindings[0].WalletBindingId}
}

func (t trader) read(slug, id string) {
	collections, offers := t.client.CollectionsAPI, t.client.OffersAPI
	report(t.client.ProfileAPI.GetMe(t.ctx).Execute())
	report(collections.ListCollectionFloorStats(t.ctx).Slugs(slug).Execute())
	report(collections.ListCollectionInscriptions(t.ctx, slug).Execute())
	report(t.client.ListingsAPI.ListListings(t.ctx).Execute())
	report(t.client.SalesAPI.ListSales(t.ctx).Execute())
	report(t.client.P2PProposalsAPI.ListTradeProposals(t.ctx).Execute())
	report(offers.ListInscriptionOffers(t.ctx, id).Execute())
	report(offers.ListInscriptionOfferHistory(t.ctx, id).Execute())
	for _, view := range []string{"owned", "sent", "history"} {
		report(offers.ListMyOffers(t.ctx).View(view).Execute())
	}
	report(offers.ListCollectionOfferBook(t.ctx, slug).Execute())
	report(offers.ListMySentCollectionOffers(t.ctx, slug).Execute())
	hats := market.NewTraitsTarget("traits", []market.TraitGroup{*market.NewTraitGroup("Hat", []string{"Cap"})})
	report(offers.PreviewCollectionOfferTarget(t.ctx, slug).CollectionWideOfferTargetPreviewRequest(
		*market.NewCollectionWideOfferTargetPreviewRequest(market.TraitsTargetAsCollectionOfferTarget(hats))).Execute())
	all := market.AllTargetAsCollectionOfferTarget(market.NewAllTarget("all"))
	report(offers.PreviewCollectionOfferReplacementWarning(t.ctx, slug).CollectionWideOfferReplacementWarningRequest(
		*market.NewCollectionWideOfferReplacementWarningRequest(t.binding, all, 20_000)).Execute())
}

// signed requests the signature of a step from the parent process, and returns the step in the form for the submit.
func signed[Signed any](t trader, step any) Signed {
	said, err := json.Marshal(step)
	check(err)
	var members map[string]any
	check(json.Unmarshal(said, &members))
	var answer struct {
		PsbtBase64 string `json:"psbtBase64"`
	}
	ask(map[string]any{
		"ask": "sign", "who": t.Name, "psbtBase64": members["psbtBase64"], "inputsToSign": members["inputsToSign"],
	}, &answer)
	members["psbtBase64"] = answer.PsbtBase64
	said, err = json.Marshal(members)
	check(err)
	var result Signed
	check(json.Unmarshal(said, &result))
	return result
}

func signedAll[Signed, Step any](t trader, steps []Step) []Signed {
	var all []Signed
	for _, step := range steps {
		all = append(all, signed[Signed](t, step))
	}
	return all
}

func (t trader) list(slug, id string) {
	items := []market.ListingRequestItem{*market.NewListingRequestItem(id, 50_000)}
	prepared := done(t.client.ListingsAPI.PreflightListing(t.ctx, slug).ListingPreflightRequest(
		*market.NewListingPreflightRequest(t.binding, t.OrdinalsPublicKey, items)).Execute())
	var anchors []market.ListingAnchor
	var listings []market.SignedListing
	for _, each := range prepared.Listings {
		anchors = append(anchors, *market.NewListingAnchor(each.InscriptionId, each.AnchorUtxoId))
		psbts := signedAll[market.SignedListingPsbtStep](t, each.Psbts)
		listings = append(listings, *market.NewSignedListing(each.InscriptionId, psbts))
	}
	recovery := signed[market.SignedRecoveryPsbt](t, prepared.RecoveryPsbt)
	request := market.NewListingSubmitRequest(t.binding, t.OrdinalsPublicKey, items, anchors, listings, recovery)
	request.SetDurationDays(7)
	done(t.client.ListingsAPI.SubmitListing(t.ctx, slug).ListingSubmitRequest(*request).Execute())
}

func (t trader) buy(slug, id string) map[string]any {
	book := done(t.client.ListingsAPI.ListListings(t.ctx).InscriptionId(id).Execute())
	listings := []market.PurchaseListing{*market.NewPurchaseListing(book.Listings[0].ListingId, id)}
	var answer struct {
		Coins []market.SpendableUtxo `json:"coins"`
	}
	ask(map[string]any{"ask": "coins", "who": t.Name}, &answer)
	preflight := market.NewPurchasePreflightRequest(t.binding, t.PaymentPublicKey, listings)
	preflight.SpendableUtxos = answer.Coins
	prepared := done(t.client.BuyingAPI.PreflightPurchase(t.ctx, slug).PurchasePreflightRequest(*preflight).Execute())
	submit := market.NewPurchaseSubmitRequest(t.binding, t.PaymentPublicKey, listings, prepared.PurchaseAnchorUtxoId,
		prepared.SelectedPaymentUtxos, signedAll[market.SignedPsbtStep](t, prepared.Steps))
	submit.SpendableUtxos = answer.Coins
	bought := done(t.client.BuyingAPI.SubmitPurchase(t.ctx, slug).PurchaseSubmitRequest(*submit).Execute())
	item := prepared.Listings[0]
	return map[string]any{
		"inscriptionId": id, "settlementTxid": bought.SettlementTxid, "buyerSats": -prepared.TotalBuyerCostSats,
		"sellerSats": item.SellerReceiveSats + item.InscriptionUtxoValueSats,
	}
}

func main() {
	var given order
	receive(&given)
	signIn(given.Base, given.Reads.Reader).read(given.Reads.Slug, given.Reads.Id)
	signIn(given.Base, given.Seller).list(given.Slug, given.Ids[0])
	bought := signIn(given.Base, given.Buyer).buy(given.Slug, given.Ids[0])
	check(output.Encode(map[string]any{"settlements": []any{bought}}))
}
