<?php
// In a product page of the shop: echo reviews('42');
function reviews(string $product, string $service = 'http://127.0.0.1:8080'): string
{
    $ask = curl_init($service . '/reviews/' . rawurlencode($product) . '/section?' . ($_SERVER['QUERY_STRING'] ?? ''));
    curl_setopt_array($ask, [CURLOPT_RETURNTRANSFER => true, CURLOPT_FAILONERROR => true, CURLOPT_TIMEOUT_MS => 1000]);
    $section = curl_exec($ask) ?: '<p>Reviews cannot be shown now.</p>';
    return '<product-reviews product="' . htmlspecialchars($product) . '">' . $section . '</product-reviews>';
}
