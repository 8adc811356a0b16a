import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AuthenticationApi;
import org.openapitools.client.api.BuyingApi;
import org.openapitools.client.api.CollectionsApi;
import org.openapitools.client.api.ListingsApi;
import org.openapitools.client.api.OffersApi;
import org.openapitools.client.api.P2PProposalsApi;
import org.openapitools.client.api.ProfileApi;
import org.openapitools.client.api.SalesApi;
import org.openapitools.client.model.*;

/** Calls all reads, lists and buys. The parent process has the keys: it signs, and returns the coins. */
public final class Trade {
    private static final BufferedReader INPUT = new BufferedReader(new InputStreamReader(System.in));
    private static final ObjectMapper MAPPER = ApiClient.createDefaultObjectMapper();

    private final JsonNode keys;
    private final ApiClient client = new ApiClient();
    private final UUID binding;

    public static void main(String[] arguments) throws IOException, ApiException {
        JsonNode order = receive();
        JsonNode reads = order.get("reads");
        new Trade(order, reads.get("reader")).read(reads.get("slug").asText(), reads.get("id").asText());
        String slug = order.get("slug").asText();
        String id = order.get("ids").get(0).asText();
        new Trade(order, order.get("seller")).list(slug, id);
        say(Map.of("settlements", List.of(new Trade(order, order.get("buyer")).buy(slug, id))));
    }

    private static JsonNode receive() throws IOException {
        return MAPPER.readTree(INPUT.readLine());
    }

    private static void say(Object message) throws IOException {
        System.out.println(MAPPER.writeValueAsString(message));
    }

    private static JsonNode ask(Map<String, ?> question) throws IOException {
        say(question);
        return receive();
    }

    private static void report(Object answer) throws IOException {
        ask(Map.of("ask", "read", "answer", answer));
    }

    private Trade(JsonNode order, JsonNode keys) throws IOException, ApiException {
        this.keys = keys;
        client.updateBaseUri(order.get("base").asText());
        AuthenticationApi authentication = new AuthenticationApi(client);
        AuthChallengeResponse begun = authentication.createAuthChallenge(new AuthChallengeRequest()
            .ordinalsAddress(keys.get("ordinalsAddress").asText())
            .paymentAddress(keys.get("paymentAddress").asText()));
        AuthVerifyRequest request = new AuthVerifyRequest().authRequestId(begun.getAuthRequestId());
        for (Challenge each : begun.getChallenges()) {
            JsonNode answer = ask(Map.of(
                "ask", "message", "who", keys.get("name"), "address", each.getAddress(), "message", each.getMessage()));
            request.addVerificationsItem(new Verification()
                .challengeId(each.getChallengeId())
                .address(each.getAddress())
                .signature(answer.get("signature").asText()));
        }
        AuthVerifyResponse session = authentication.verifyAuthChallenge(request);
        client.setRequestInterceptor(
            each -> each.header("Authorization", "Bearer " + session.getSessionToken()));
        binding = session.getWalletBindings().get(0).getWalletBindingId();
    }

    private void read(String slug, String id) throws IOException, ApiException {
        CollectionsApi collections = new CollectionsApi(client);
        OffersApi offers = new OffersApi(client);
        report(new ProfileApi(client).getMe());
        report(collections.listCollectionFloorStats(slug));
        report(collections.listCollectionInscriptions(slug, null, null, null));
        report(new ListingsApi(client).listListings(null, null, null, null, null, null));
        report(new SalesApi(client).listSales(null, null, null));
        report(new P2PProposalsApi(client).listTradeProposals(null, null, null));
        report(offers.listInscriptionOffers(id));
        report(offers.listInscriptionOfferHistory(id, null));
        for (String view : List.of("owned", "sent", "history")) report(offers.listMyOffers(view, null));
        report(offers.listCollectionOfferBook(slug));
        report(offers.listMySentCollectionOffers(slug));
        TraitsTarget hats = new TraitsTarget()
            .kind(TraitsTarget.KindEnum.TRAITS)
            .addTraitsItem(new TraitGroup().type("Hat").addValuesItem("Cap"));
        report(offers.previewCollectionOfferTarget(
            slug, new CollectionWideOfferTargetPreviewRequest().target(new CollectionOfferTarget(hats))));
        AllTarget all = new AllTarget().kind(AllTarget.KindEnum.ALL);
        report(offers.previewCollectionOfferReplacementWarning(slug, new CollectionWideOfferReplacementWarningRequest()
            .walletBindingId(binding)
            .target(new CollectionOfferTarget(all))
            .priceSats(20_000L)));
    }

    /** Returns a signed step in the form for the submit. */
    private <T> T signed(Object step, Class<T> type) throws IOException {
        ObjectNode said = MAPPER.valueToTree(step);
        JsonNode answer = ask(Map.of(
            "ask", "sign", "who", keys.get("name"),
            "psbtBase64", said.get("psbtBase64"), "inputsToSign", said.get("inputsToSign")));
        said.set("psbtBase64", answer.get("psbtBase64"));
        return MAPPER.treeToValue(said, type);
    }

    private void list(String slug, String id) throws IOException, ApiException {
        ListingsApi api = new ListingsApi(client);
        String key = keys.get("ordinalsPublicKey").asText();
        List<ListingRequestItem> items = List.of(new ListingRequestItem().inscriptionId(id).priceSats(50_000L));
        ListingPreflightResponse prepared = api.preflightListing(slug,
            new ListingPreflightRequest().walletBindingId(binding).ordinalsPublicKey(key).items(items), null);
        ListingSubmitRequest request = new ListingSubmitRequest()
            .walletBindingId(binding)
            .ordinalsPublicKey(key)
            .items(items)
            .durationDays(ListingSubmitRequest.DurationDaysEnum.NUMBER_7)
            .signedRecoveryPsbt(signed(prepared.getRecoveryPsbt(), SignedRecoveryPsbt.class));
        for (ListingPreflightEntry each : prepared.getListings()) {
            request.addAnchorsItem(new ListingAnchor()
                .inscriptionId(each.getInscriptionId())
                .anchorUtxoId(each.getAnchorUtxoId()));
            SignedListing listing = new SignedListing().inscriptionId(each.getInscriptionId());
            for (ListingPsbtStep step : each.getPsbts())
                listing.addPsbtsItem(signed(step, SignedListingPsbtStep.class));
            request.addSignedItem(listing);
        }
        api.submitListing(slug, request, null);
    }

    private Map<String, ?> buy(String slug, String id) throws IOException, ApiException {
        ListingsResponse book = new ListingsApi(client).listListings(null, null, null, null, id, null);
        List<PurchaseListing> listings = List.of(new PurchaseListing()
            .listingId(book.getListings().get(0).getListingId())
            .inscriptionId(id));
        List<SpendableUtxo> coins = new ArrayList<>();
        for (JsonNode coin : ask(Map.of("ask", "coins", "who", keys.get("name"))).get("coins"))
            coins.add(MAPPER.treeToValue(coin, SpendableUtxo.class));
        BuyingApi api = new BuyingApi(client);
        String key = keys.get("paymentPublicKey").asText();
        PurchasePreflightResponse prepared = api.preflightPurchase(slug, new PurchasePreflightRequest()
            .walletBindingId(binding)
            .paymentPublicKey(key)
            .listings(listings)
            .spendableUtxos(coins), null);
        PurchaseSubmitRequest request = new PurchaseSubmitRequest()
            .walletBindingId(binding)
            .paymentPublicKey(key)
            .listings(listings)
            .spendableUtxos(coins)
            .purchaseAnchorUtxoId(prepared.getPurchaseAnchorUtxoId())
            .selectedPaymentUtxos(prepared.getSelectedPaymentUtxos());
        for (PsbtStep step : prepared.getSteps()) request.addSignedStepsItem(signed(step, SignedPsbtStep.class));
        PurchaseSubmitResponse bought = api.submitPurchase(slug, request, null);
        PurchaseEconomicsItem item = prepared.getListings().get(0);
        return Map.of(
            "inscriptionId", id,
            "settlementTxid", bought.getSettlementTxid(),
            "buyerSats", -prepared.getTotalBuyerCostSats(),
            "sellerSats", item.getSellerReceiveSats() + item.getInscriptionUtxoValueSats());
    }
}
