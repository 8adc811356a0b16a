// Calls all reads, then lists, buys, makes an offer that is accepted, and a collection offer that is filled. The parent process has the
// keys. It signs, and returns the wallets' coins.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"

	openapi_types "github.com/oapi-codegen/runtime/types"
	"trader/market"
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

type settlement struct {
	InscriptionId  string `json:"inscriptionId"`
	SettlementTxid string `json:"settlementTxid"`
	BuyerSats      int64  `json:"buyerSats"`
	SellerSats     int64  `json:"sellerSats"`
}

var (
	input  = bufio.NewReader(os.Stdin)
	output = json.NewEncoder(os.Stdout)
	ctx    = context.Background()
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(into any) {
	line, err := input.ReadBytes('\n')
	check(err)
	check(json.Unmarshal(line, into))
}

func ask(question map[string]any, into any) {
	check(output.Encode(question))
	read(into)
}

// done returns the parsed response of a call.
func done[T any](parsed *T, body []byte) T {
	if parsed == nil {
		check(fmt.Errorf("refused: %s", body))
	}
	return *parsed
}

type trader struct {
	keys
	client  *market.ClientWithResponses
	binding openapi_types.UUID
}

func signIn(base string, of keys) trader {
	client, err := market.NewClientWithResponses(base)
	check(err)
	begun, err := client.CreateAuthChallengeWithResponse(ctx, market.AuthChallengeRequest{
		OrdinalsAddress: of.OrdinalsAddress, PaymentAddress: of.PaymentAddress,
	})
	check(err)
	challenge := done(begun.JSON200, begun.Body)
	verify := market.AuthVerifyRequest{AuthRequestId: challenge.AuthRequestId}
	for _, each := range challenge.Challenges {
		var answer struct {
			Signature string `json:"signature"`
		}
		ask(map[string]any{"ask": "message", "who": of.Name, "address": each.Address, "message": each.Message}, &answer)
		verify.Verifications = append(verify.Verifications, market.Verification{
			Address: each.Address, ChallengeId: each.ChallengeId, Signature: answer.Signature,
		})
	}
	opened, err := client.VerifyAuthChallengeWithResponse(ctx, verify)
	check(err)
	session := done(opened.JSON200, opened.Body)
	withToken := market.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+session.SessionToken)
		return nil
	})
	client, err = market.NewClientWithResponses(base, withToken)
	check(err)
	return trader{keys: of, client: client, binding: session.WalletBindings[0].WalletBindingId}
}

// report sends the parsed response of a read to the parent process.
func report(parsed any, body []byte, err error) {
	check(err)
	if reflect.ValueOf(parsed).IsNil() {
		check(fmt.Errorf("refused: %s", body))
	}
	ask(map[string]any{"ask": "read", "answer": parsed}, &struct{}{})
}

func (t trader) read(slug, id string) {
	me, err := t.client.GetMeWithResponse(ctx)
	report(me.JSON200, me.Body, err)
	floors, err := t.client.ListCollectionFloorStatsWithResponse(ctx, &market.ListCollectionFloorStatsParams{Slugs: slug})
	report(floors.JSON200, floors.Body, err)
	items, err := t.client.ListCollectionInscriptionsWithResponse(ctx, slug, nil)
	report(items.JSON200, items.Body, err)
	listings, err := t.client.ListListingsWithResponse(ctx, nil)
	report(listings.JSON200, listings.Body, err)
	sales, err := t.client.ListSalesWithResponse(ctx, nil)
	report(sales.JSON200, sales.Body, err)
	proposals, err := t.client.ListTradeProposalsWithResponse(ctx, nil)
	report(proposals.JSON200, proposals.Body, err)
	offers, err := t.client.ListInscriptionOffersWithResponse(ctx, id)
	report(offers.JSON200, offers.Body, err)
	history, err := t.client.ListInscriptionOfferHistoryWithResponse(ctx, id, nil)
	report(history.JSON200, history.Body, err)
	for _, view := range []market.ListMyOffersParamsView{"owned", "sent", "history"} {
		mine, err := t.client.ListMyOffersWithResponse(ctx, &market.ListMyOffersParams{View: &view})
		report(mine.JSON200, mine.Body, err)
	}
	book, err := t.client.ListCollectionOfferBookWithResponse(ctx, slug)
	report(book.JSON200, book.Body, err)
	sent, err := t.client.ListMySentCollectionOffersWithResponse(ctx, slug)
	report(sent.JSON200, sent.Body, err)
	var hats, all market.CollectionOfferTarget
	check(hats.FromTraitsTarget(market.TraitsTarget{
		Kind: market.TraitsTargetKindTraits, Traits: []market.TraitGroup{{Type: "Hat", Values: []string{"Cap"}}},
	}))
	check(all.FromAllTarget(market.AllTarget{Kind: market.AllTargetKindAll}))
	preview, err := t.client.PreviewCollectionOfferTargetWithResponse(ctx, slug, market.CollectionWideOfferTargetPreviewRequest{
		Target: hats,
	})
	report(preview.JSON200, preview.Body, err)
	warning, err := t.client.PreviewCollectionOfferReplacementWarningWithResponse(ctx, slug, market.CollectionWideOfferReplacementWarningRequest{
		WalletBindingId: t.binding, Target: all, PriceSats: 20_000,
	})
	report(warning.JSON200, warning.Body, err)
}

func (t trader) coins() *[]market.SpendableUtxo {
	var answer struct {
		Coins []market.SpendableUtxo `json:"coins"`
	}
	ask(map[string]any{"ask": "coins", "who": t.Name}, &answer)
	return &answer.Coins
}

// signature requests the signature of a PSBT from the parent process.
func (t trader) signature(psbtBase64 string, inputs []market.InputToSign) string {
	var answer struct {
		PsbtBase64 string `json:"psbtBase64"`
	}
	ask(map[string]any{"ask": "sign", "who": t.Name, "psbtBase64": psbtBase64, "inputsToSign": inputs}, &answer)
	return answer.PsbtBase64
}

// echo returns the inputs of a step in the form for the submit.
func echo(inputs []market.InputToSign) []market.SignedInput {
	var all []market.SignedInput
	for _, each := range inputs {
		all = append(all, market.SignedInput{
			Address: &each.Address, DisableTweakSigner: each.DisableTweakSigner, PublicKey: each.PublicKey,
			SigHash: each.SigHash, SignerAddress: each.SignerAddress, SigningIndexes: each.SigningIndexes,
		})
	}
	return all
}

func (t trader) signed(step market.PsbtStep) market.SignedPsbtStep {
	return market.SignedPsbtStep{
		InputsToSign: echo(step.InputsToSign), PsbtBase64: t.signature(step.PsbtBase64, step.InputsToSign),
		SignerAddress: step.SignerAddress, StepIndex: step.StepIndex,
	}
}

func (t trader) signedAll(steps []market.PsbtStep) []market.SignedPsbtStep {
	var all []market.SignedPsbtStep
	for _, step := range steps {
		all = append(all, t.signed(step))
	}
	return all
}

func (t trader) list(slug, id string) {
	items := []market.ListingRequestItem{{InscriptionId: id, PriceSats: 50_000}}
	answer, err := t.client.PreflightListingWithResponse(ctx, slug, nil, market.ListingPreflightRequest{
		WalletBindingId: t.binding, OrdinalsPublicKey: t.OrdinalsPublicKey, Items: items,
	})
	check(err)
	prepared := done(answer.JSON200, answer.Body)
	days := market.N7
	request := market.ListingSubmitRequest{
		WalletBindingId: t.binding, OrdinalsPublicKey: t.OrdinalsPublicKey, Items: items, DurationDays: &days,
	}
	for _, each := range prepared.Listings {
		request.Anchors = append(request.Anchors, market.ListingAnchor{
			InscriptionId: each.InscriptionId, AnchorUtxoId: each.AnchorUtxoId,
		})
		signed := market.SignedListing{InscriptionId: each.InscriptionId}
		for _, step := range each.Psbts {
			signed.Psbts = append(signed.Psbts, market.SignedListingPsbtStep{
				InscriptionId: &step.InscriptionId, InputsToSign: echo(step.InputsToSign),
				PsbtBase64:    t.signature(step.PsbtBase64, step.InputsToSign),
				SignerAddress: step.SignerAddress, StepIndex: step.StepIndex,
			})
		}
		request.Signed = append(request.Signed, signed)
	}
	recovery := prepared.RecoveryPsbt
	request.SignedRecoveryPsbt = market.SignedRecoveryPsbt{
		InputsToSign: echo(recovery.InputsToSign), SignerAddress: recovery.SignerAddress,
		PsbtBase64: t.signature(recovery.PsbtBase64, recovery.InputsToSign),
	}
	submitted, err := t.client.SubmitListingWithResponse(ctx, slug, nil, request)
	check(err)
	done(submitted.JSON200, submitted.Body)
}

func (t trader) buy(slug, id string) settlement {
	found, err := t.client.ListListingsWithResponse(ctx, &market.ListListingsParams{InscriptionId: &id})
	check(err)
	book := done(found.JSON200, found.Body)
	listings := []market.PurchaseListing{{ListingId: book.Listings[0].ListingId, InscriptionId: id}}
	coins := t.coins()
	answer, err := t.client.PreflightPurchaseWithResponse(ctx, slug, nil, market.PurchasePreflightRequest{
		WalletBindingId: t.binding, PaymentPublicKey: t.PaymentPublicKey, Listings: listings, SpendableUtxos: coins,
	})
	check(err)
	prepared := done(answer.JSON200, answer.Body)
	submitted, err := t.client.SubmitPurchaseWithResponse(ctx, slug, nil, market.PurchaseSubmitRequest{
		WalletBindingId: t.binding, PaymentPublicKey: t.PaymentPublicKey, Listings: listings, SpendableUtxos: coins,
		PurchaseAnchorUtxoId: prepared.PurchaseAnchorUtxoId, SelectedPaymentUtxos: prepared.SelectedPaymentUtxos,
		SignedSteps: t.signedAll(prepared.Steps),
	})
	check(err)
	item := prepared.Listings[0]
	return settlement{
		InscriptionId: id, SettlementTxid: done(submitted.JSON200, submitted.Body).SettlementTxid,
		BuyerSats: -prepared.TotalBuyerCostSats, SellerSats: item.SellerReceiveSats + item.InscriptionUtxoValueSats,
	}
}

func (t trader) offer(slug, id string) (openapi_types.UUID, market.CollectionOfferPreflightItem) {
	coins := t.coins()
	answer, err := t.client.PreflightCollectionOfferWithResponse(ctx, slug, nil, market.CollectionOfferPreflightRequest{
		WalletBindingId: t.binding, PaymentPublicKey: t.PaymentPublicKey, InscriptionIds: []string{id},
		PriceSats: 60_000, SpendableUtxos: coins,
	})
	check(err)
	prepared := done(answer.JSON200, answer.Body)
	request := market.CollectionOfferSubmitRequest{
		WalletBindingId: t.binding, PaymentPublicKey: t.PaymentPublicKey, InscriptionIds: []string{id},
		PriceSats: 60_000, SpendableUtxos: coins, SelectedPaymentUtxos: prepared.SelectedPaymentUtxos,
	}
	for _, item := range prepared.Items {
		request.SignedItems = append(request.SignedItems, market.SignedItem{
			InscriptionId: item.InscriptionId, ExpectedSettlementTxid: item.ExpectedSettlementTxid,
			SignedSteps: t.signedAll(item.Steps),
		})
	}
	submitted, err := t.client.SubmitCollectionOfferWithResponse(ctx, slug, nil, request)
	check(err)
	return done(submitted.JSON200, submitted.Body).Items[0].OfferId, prepared.Items[0]
}

func (t trader) accept(id string, offerId openapi_types.UUID, terms market.CollectionOfferPreflightItem) settlement {
	answer, err := t.client.PreflightOfferAcceptanceWithResponse(ctx, id, offerId, nil, market.OfferAcceptPreflightRequest{
		WalletBindingId: t.binding, OrdinalsPublicKey: t.OrdinalsPublicKey,
	})
	check(err)
	prepared := done(answer.JSON200, answer.Body)
	submitted, err := t.client.SubmitOfferAcceptanceWithResponse(ctx, id, offerId, nil, market.OfferAcceptSubmitRequest{
		WalletBindingId: t.binding, OrdinalsPublicKey: t.OrdinalsPublicKey,
		TargetFeeRateSatVb: prepared.TargetFeeRateSatVb, ExpectedSettlementTxid: prepared.ExpectedSettlementTxid,
		ExpectedPayoutTxid: prepared.ExpectedPayoutTxid, SignedSteps: t.signedAll(prepared.Steps),
	})
	check(err)
	return settlement{
		InscriptionId: id, SettlementTxid: done(submitted.JSON200, submitted.Body).SettlementTxid,
		BuyerSats:  -(terms.BuyerPayTotalSats + terms.InscriptionUtxoValueSats + terms.EstimatedNetworkFeeSats),
		SellerSats: terms.SellerReceiveSats + terms.InscriptionUtxoValueSats,
	}
}

func (t trader) bid(slug string) market.SubmittedCollectionOffer {
	var target market.CollectionOfferTarget
	check(target.FromAllTarget(market.AllTarget{Kind: market.AllTargetKindAll}))
	coins := t.coins()
	answer, err := t.client.PreflightCollectionWideOfferWithResponse(ctx, slug, nil, market.CollectionWideOfferPreflightRequest{
		WalletBindingId: t.binding, OrdinalsPublicKey: t.OrdinalsPublicKey, PaymentPublicKey: t.PaymentPublicKey,
		Target: target, PriceSats: 70_000, SpendableUtxos: coins,
	})
	check(err)
	request := market.CollectionWideOfferSubmitRequest{
		WalletBindingId: t.binding, OrdinalsPublicKey: t.OrdinalsPublicKey, PaymentPublicKey: t.PaymentPublicKey,
		Target: target, PriceSats: 70_000, SpendableUtxos: coins,
	}
	for _, entry := range done(answer.JSON200, answer.Body).Offers {
		request.Offers = append(request.Offers, market.SubmitEntry{
			PriceSats: entry.PriceSats, SelectedPaymentUtxos: entry.SelectedPaymentUtxos,
			ExpectedFundingParentTxid: entry.ExpectedFundingParentTxid, FundingParentVout: entry.FundingParentVout,
			PreflightToken: entry.PreflightToken, SignedFundingParentStep: t.signed(entry.FundingParentStep),
		})
	}
	submitted, err := t.client.SubmitCollectionWideOfferWithResponse(ctx, slug, nil, request)
	check(err)
	return done(submitted.JSON200, submitted.Body).Offers[0]
}

func (t trader) fill(slug, id string, offer market.SubmittedCollectionOffer) settlement {
	answer, err := t.client.PreflightCollectionOfferFillWithResponse(ctx, slug, offer.OfferId, nil, market.CollectionWideOfferFillPreflightRequest{
		WalletBindingId: t.binding, OrdinalsPublicKey: t.OrdinalsPublicKey, OfferId: offer.OfferId, InscriptionId: id,
	})
	check(err)
	prepared := done(answer.JSON200, answer.Body)
	submitted, err := t.client.SubmitCollectionOfferFillWithResponse(ctx, slug, offer.OfferId, nil, market.CollectionWideOfferFillSubmitRequest{
		WalletBindingId: t.binding, OrdinalsPublicKey: t.OrdinalsPublicKey, OfferId: offer.OfferId, InscriptionId: id,
		TargetFeeRateSatVb: prepared.TargetFeeRateSatVb, ExpectedSettlementTxid: prepared.ExpectedSettlementTxid,
		AdmissionAnchorUtxoId: prepared.AdmissionAnchorUtxoId, SignedSellerStep: t.signed(prepared.SellerStep),
	})
	check(err)
	return settlement{
		InscriptionId: id, SettlementTxid: done(submitted.JSON200, submitted.Body).SettlementTxid,
		BuyerSats: -offer.PriceSats, SellerSats: prepared.SellerReceiveSats - prepared.EstimatedNetworkFeeSats,
	}
}

func main() {
	var given order
	read(&given)
	slug, ids := given.Slug, given.Ids
	signIn(given.Base, given.Reads.Reader).read(given.Reads.Slug, given.Reads.Id)
	seller, buyer := signIn(given.Base, given.Seller), signIn(given.Base, given.Buyer)
	seller.list(slug, ids[0])
	bought := buyer.buy(slug, ids[0])
	offerId, terms := buyer.offer(slug, ids[1])
	sold := seller.accept(ids[1], offerId, terms)
	filled := seller.fill(slug, ids[2], buyer.bid(slug))
	check(output.Encode(map[string]any{"settlements": []settlement{bought, sold, filled}}))
}
